// Bundles a workflow file with the files it imports into one module, for the running package. Packages stay where they are.

import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Loader, OnLoadResult, OnResolveResult, Plugin } from 'esbuild';
import { configFailure, errorWords } from '../errors.ts';
import type { Files } from '../world/types/files.ts';
import { explainBuild, refuseDoubles } from './bundle-problem.ts';

/** Where the entries of the running package are, as addresses. */
export interface RunningPackage {
  readonly name: string;
  /** The small one for workflow files. */
  readonly workflow: string;
  /** The whole library. */
  readonly library: string;
}

export interface Bundle {
  /** With its source map at the end. */
  readonly code: string;
  /** Digests of what it was made from, by absolute path. */
  readonly sources: Readonly<Record<string, string>>;
  /** Paths of the modules of packages that it imports. */
  readonly packages: readonly string[];
}

/** Digest of a source, as it is compared later. */
export const digestOf = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** Rejects with a configuration Failure that names file and line of what cannot be read or found. */
export async function bundle(
  file: string,
  own: RunningPackage,
  files: Pick<Files, 'read' | 'stat'>,
): Promise<Bundle> {
  const { build } = await import('esbuild').catch((cause: unknown) => {
    throw configFailure(
      'no-compiler',
      'cannot load esbuild, which reads workflow files in TypeScript and JavaScript',
      {
        next: 'install this program again, with its dependencies',
        cause,
      },
    );
  });
  const folder = path.dirname(file);
  const sources: Record<string, string> = {};
  const packages = new Set<string>();
  const result = await build({
    entryPoints: [file],
    absWorkingDir: folder,
    outfile: path.join(folder, 'bundled.mjs'),
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // As Node itself chooses: not the builds that packages keep for bundlers.
    conditions: ['node'],
    sourcemap: 'inline',
    logLevel: 'silent',
    // The settings of a project around the file would change its meaning without being part of the digest.
    tsconfigRaw: '{}',
    define: {
      'import.meta.url': IDS.url,
      'import.meta.filename': IDS.file,
      'import.meta.dirname': IDS.folder,
    },
    banner: {
      js: `import { createRequire as ${IDS.require} } from 'node:module'; const require = ${IDS.require}(${JSON.stringify(pathToFileURL(file).href)});`,
    },
    plugins: [resolveOwn(own), resolvePackages(packages), loadSources(files, sources)],
  }).catch((error: unknown) => {
    throw explainBuild(error, file);
  });
  refuseDoubles(result.warnings, file);
  return { code: result.outputFiles[0]?.text ?? '', sources, packages: [...packages].sort() };
}

/** Names that stand for the place of each source in its own scope. */
const IDS = {
  url: '__sourceUrl',
  file: '__sourceFile',
  folder: '__sourceFolder',
  require: '__createRequire',
};

const LOADERS: Readonly<Record<string, Loader>> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.js': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
  '.jsx': 'jsx',
  '.json': 'json',
  '.txt': 'text',
};

/** The bundler reads what else there is. A link may lead it to a device, which has no end. */
async function refusal(
  place: string,
  files: Pick<Files, 'stat'>,
): Promise<OnLoadResult | undefined> {
  const isSource = (await files.stat(place))?.kind !== 'other';
  return isSource ? undefined : { errors: [{ text: `"${place}" is no regular file` }] };
}

/** Every source is read here, so that what is digested is what is bundled. */
function loadSources(files: Pick<Files, 'read' | 'stat'>, sources: Record<string, string>): Plugin {
  return {
    name: 'sources',
    setup(build) {
      build.onLoad(
        { filter: /.*/, namespace: 'file' },
        async (args): Promise<OnLoadResult | undefined> => {
          const loader = LOADERS[path.extname(args.path)];
          if (loader === undefined) return refusal(args.path, files);
          const bytes = await files.read(args.path).catch((error: unknown) => errorWords(error));
          if (typeof bytes === 'string') return { errors: [{ text: bytes }] };
          sources[args.path] = digestOf(bytes);
          const text = new TextDecoder().decode(bytes);
          return {
            contents: loader === 'json' || loader === 'text' ? text : withPlace(text, args.path),
            loader,
          };
        },
      );
    },
  };
}

/** On the first line, so that every line keeps its number. */
function withPlace(text: string, file: string): string {
  const values = {
    [IDS.url]: pathToFileURL(file).href,
    [IDS.file]: file,
    [IDS.folder]: path.dirname(file),
  };
  const place = Object.entries(values).map(
    ([name, value]) => `const ${name}=${JSON.stringify(value)};`,
  );
  return text.startsWith('#!') ? `${place.join('')}//${text}` : `${place.join('')}${text}`;
}

/** The package's own name and `zod` lead to the running program: a folder of workflows needs no packages installed. */
function resolveOwn(own: RunningPackage): Plugin {
  const entries: Readonly<Record<string, string>> = {
    workflow: own.workflow,
    library: own.library,
  };
  return {
    name: 'own',
    setup(build) {
      const names = new RegExp(`^(?:${own.name}(?:/workflow)?|zod(?:/v4)?)$`);
      build.onResolve({ filter: names }, ({ path: name }) => ({ path: name, namespace: 'own' }));
      build.onResolve({ filter: /^entry:/, namespace: 'own' }, ({ path: name }) => ({
        path: entries[name.slice('entry:'.length)] ?? name,
        external: true,
        // What is not used is not loaded.
        sideEffects: false,
      }));
      build.onLoad({ filter: /.*/, namespace: 'own' }, async ({ path: name }) => ({
        contents: name.startsWith('zod') ? await zodModule(own) : await ownModule(own),
      }));
    },
  };
}

async function ownModule(own: RunningPackage): Promise<string> {
  const small = await namesOf(own.workflow);
  const others = (await namesOf(own.library)).filter((name) => !small.includes(name));
  return `export { ${small.join(', ')} } from 'entry:workflow';\nexport { ${others.join(', ')} } from 'entry:library';\n`;
}

/** Each name on its own, so that those which are not used leave nothing behind. */
async function zodModule(own: RunningPackage): Promise<string> {
  const { z }: { z: object } = await import(own.workflow);
  const names = Object.keys(z);
  const lines = names.map(
    (name, index) =>
      `const z${index} = /* @__PURE__ */ (() => z.${name})(); export { z${index} as ${name} };`,
  );
  return `import { z } from 'entry:workflow';\nexport { z, z as default };\n${lines.join('\n')}\n`;
}

async function namesOf(address: string): Promise<readonly string[]> {
  const module: object = await import(address);
  return Object.keys(module).filter((name) => name !== 'default');
}

/** Packages are imported from where the source finds them, under their address: the bundle lies elsewhere. */
function resolvePackages(packages: Set<string>): Plugin {
  const ours = { resolved: true };
  return {
    name: 'packages',
    setup(build) {
      build.onResolve(
        { filter: /^[^./]/, namespace: 'file' },
        async (args): Promise<OnResolveResult | undefined> => {
          if (
            args.kind === 'entry-point' ||
            args.pluginData === ours ||
            /^[A-Za-z]:[\\/]/.test(args.path)
          )
            return undefined;
          const { kind, importer, resolveDir } = args;
          const found = await build.resolve(args.path, {
            kind,
            importer,
            resolveDir,
            pluginData: ours,
          });
          if (found.errors.length > 0) return { errors: found.errors, warnings: found.warnings };
          const isModule =
            /[\\/]node_modules[\\/]/.test(found.path) && /\.(?:[cm]?js|node)$/.test(found.path);
          if (found.external || !isModule) return found;
          packages.add(found.path);
          return {
            path: kind === 'require-call' ? found.path : pathToFileURL(found.path).href,
            external: true,
          };
        },
      );
    },
  };
}
