// Builds dist/: the program as CommonJS chunks, the library as ECMAScript modules. `node src/build.js [--watch]`.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build, context, transform } from 'esbuild';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

const common = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Names stay, so that a stack can be read.
  minifySyntax: true,
  minifyWhitespace: true,
  chunkNames: 'chunks/[name]-[hash]',
  external: ['node-llama-cpp', 'esbuild'],
  logLevel: 'warning',
};

/**
 * Splitting is for ECMAScript modules only, and loading a dozen of those costs a third of a small command's time. So each chunk is
 * turned into CommonJS: static imports by the transform, imports on demand of other chunks here.
 */
const asCommonJs = {
  name: 'as-commonjs',
  setup(plugin) {
    plugin.onEnd(async ({ outputFiles = [] }) => {
      const folder = path.join(dist, 'cli');
      await rm(folder, { recursive: true, force: true });
      await mkdir(path.join(folder, 'chunks'), { recursive: true });
      await writeFile(path.join(folder, 'package.json'), '{"type":"commonjs"}\n');
      await Promise.all(
        outputFiles.map(async (file) => writeFile(file.path, await commonJs(file.text))),
      );
    });
  },
};

/** The HTTP client speaks HTTP/1.1 here, and does without the platform's HTTP/2, whose loading costs as much as everything else of it. */
const withoutHttp2 = {
  name: 'without-http2',
  setup(plugin) {
    plugin.onResolve({ filter: /^node:http2$/ }, () => ({ path: 'http2', namespace: 'absent' }));
    plugin.onLoad({ filter: /.*/, namespace: 'absent' }, () => ({
      contents: "throw new Error('not loaded');",
    }));
  },
};

async function commonJs(code) {
  const usesUrl = code.includes('import.meta.url');
  const result = await transform(code, {
    format: 'cjs',
    platform: 'node',
    target: common.target,
    minifyWhitespace: true,
    define: { 'import.meta.url': '__moduleUrl' },
    banner: usesUrl ? 'const __moduleUrl=require("node:url").pathToFileURL(__filename).href;' : '',
  });
  return result.code.replace(
    /\bimport\(("\.{1,2}\/[^"]+\.js")\)/g,
    'Promise.resolve().then(()=>require($1))',
  );
}

const program = {
  ...common,
  entryPoints: { entry: 'src/cli/entry.ts' },
  outdir: path.join(dist, 'cli'),
  write: false,
  plugins: [withoutHttp2, asCommonJs],
};

const library = {
  ...common,
  entryPoints: { index: 'src/index.ts', workflow: 'src/workflows/public.ts' },
  outdir: dist,
  sourcemap: 'linked',
  // Bundled CommonJS packages ask for built-ins.
  banner: { js: 'const require=process.getBuiltinModule;' },
};

if (process.argv.includes('--watch')) {
  for (const options of [program, library]) await (await context(options)).watch();
} else {
  await rm(dist, { recursive: true, force: true });
  await Promise.all([build(program), build(library)]);
}
