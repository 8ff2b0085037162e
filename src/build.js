// Builds dist/: the program as CommonJS chunks, the library as ECMAScript modules. `node src/build.js [--watch]`.

import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
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
  external: ['node-llama-cpp', 'better-sqlite3', 'esbuild'],
  logLevel: 'warning',
};

/**
 * Splitting is for ECMAScript modules only, and loading a dozen of those costs a third of a small command's time. So each chunk is
 * turned into CommonJS: static imports by the transform, imports on demand of other chunks here. And since each file still
 * costs half a millisecond, the chunks that the daily commands need are put into one file each.
 */
const asCommonJs = {
  name: 'as-commonjs',
  setup(plugin) {
    plugin.onEnd(async ({ outputFiles = [], metafile }) => {
      if (metafile === undefined) return;
      const folder = path.join(dist, 'cli');
      await mkdir(path.join(folder, 'chunks'), { recursive: true });
      await writeFile(path.join(folder, 'package.json'), '{"type":"commonjs"}\n');
      const texts = new Map();
      for (const file of outputFiles)
        texts.set(path.relative(folder, file.path), await commonJs(file.text));
      const files = packed(texts, metafile);
      for (const [name, text] of files) await writeFile(path.join(folder, name), text);
      // Last, so that a program that starts meanwhile finds what its entry asks for.
      for (const old of await readdir(path.join(folder, 'chunks')))
        if (!files.has(`chunks/${old}`)) await rm(path.join(folder, 'chunks', old));
    });
  },
};

/** Files that hold several chunks, with the sources whose static imports they hold. */
const PACKS = [
  { file: 'entry.js', roots: ['src/cli/entry.ts', 'commands/chat/print.ts'] },
  {
    file: 'chunks/ask.js',
    roots: ['commands/chat/ask.ts', 'src/backends/openai/backend.ts', 'src/world/lock.ts'],
  },
  { file: 'chunks/http.js', roots: ['src/world/http.ts', 'src/world/dispatchers.ts'] },
];

/** The texts by file name: packs in place of what they hold, and for each chunk in a pack a file that takes it out. */
function packed(texts, metafile) {
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([name, output]) => [
      path.relative('dist/cli', name),
      output,
    ]),
  );
  const result = new Map(texts);
  const placed = new Set();
  for (const { file, roots } of PACKS) {
    const names = [...reached(outputs, roots)].filter((name) => !placed.has(name));
    for (const name of names) {
      placed.add(name);
      const back = path.posix.relative(path.posix.dirname(name), file);
      result.set(name, `module.exports=require("./${back}").__chunk(${JSON.stringify(name)});\n`);
    }
    result.set(file, packText(file, names, texts));
  }
  return result;
}

/** What is loaded when the outputs of these sources are: they, and what they import without asking. */
function reached(outputs, roots) {
  const found = new Set();
  const visit = (name) => {
    if (found.has(name)) return;
    found.add(name);
    for (const { path: to, kind } of outputs.get(name)?.imports ?? [])
      if (kind === 'import-statement' && to.startsWith('dist/'))
        visit(path.relative('dist/cli', to));
  };
  for (const root of roots)
    for (const [name, { entryPoint }] of outputs) if (entryPoint === root) visit(name);
  return found;
}

/** Chunks as functions, each run when it is asked for first; other chunks are asked for by their files. */
function packText(file, names, texts) {
  const toRoot = path.posix.relative(path.posix.dirname(file), '.') || '.';
  const chunks = names.map(
    (name) => `${JSON.stringify(name)}(module,exports,require){${texts.get(name)}\n}`,
  );
  // The first pack is always there: what it holds needs no file to be found by.
  const first = names.includes(file)
    ? '{__holds:()=>false}'
    : `require("${toRoot}/${PACKS[0].file}")`;
  return `const __chunks={${chunks.join(',')}},__loaded={},__native=require,__first=${first};
function __chunk(name){
  if(__loaded[name])return __loaded[name].exports;
  const module=__loaded[name]={exports:{}},folder=name.includes("/")?name.slice(0,name.lastIndexOf("/")+1):"";
  __chunks[name](module,module.exports,(id)=>{
    if(id[0]!==".")return __native(id);
    const to=id.startsWith("./")?folder+id.slice(2):id.slice(3);
    return to in __chunks?__chunk(to):__first.__holds(to)?__first.__chunk(to):__native("${toRoot.startsWith('.') ? toRoot : `./${toRoot}`}/"+to);
  });
  return module.exports;
}
module.exports={__chunk,__holds:(name)=>name in __chunks};
${names.includes(file) ? `Object.setPrototypeOf(module.exports,__chunk(${JSON.stringify(file)}));` : ''}
`;
}

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
  metafile: true,
  plugins: [withoutHttp2, asCommonJs],
};

/** Programs that run beside another one: each one file, that shares nothing with the rest. */
const workers = {
  ...common,
  splitting: false,
  format: 'cjs',
  entryPoints: { 'log-reader': 'src/cli/log-reader.ts', 'seen-check': 'src/cli/seen-check.ts' },
  outdir: path.join(dist, 'cli'),
};

/** What earlier builds left would go into the package: chunks that nothing asks for any more, and types of sources that are gone. */
const withoutLeftovers = {
  name: 'without-leftovers',
  setup(plugin) {
    plugin.onEnd(async ({ metafile }) => {
      if (metafile === undefined) return;
      const folder = path.join(dist, 'chunks');
      const made = new Set(Object.keys(metafile.outputs).map((name) => path.basename(name)));
      for (const old of await readdir(folder))
        if (!made.has(old)) await rm(path.join(folder, old), { force: true });
      const types = path.join(dist, 'types');
      for (const name of existsSync(types) ? await readdir(types, { recursive: true }) : []) {
        const source = name.replace(/\.d\.ts$/, '.ts');
        if (source !== name && !existsSync(path.join(root, source)))
          await rm(path.join(types, name), { force: true });
      }
    });
  },
};

const library = {
  ...common,
  entryPoints: { index: 'src/index.ts', workflow: 'src/workflows/public.ts' },
  outdir: dist,
  metafile: true,
  plugins: [withoutLeftovers],
  sourcemap: 'linked',
  // The platform shows the line of an error that nobody caught.
  lineLimit: 160,
  // Bundled CommonJS packages ask for built-ins.
  banner: { js: 'const require=process.getBuiltinModule;' },
};

if (process.argv.includes('--watch')) {
  for (const options of [program, workers, library]) await (await context(options)).watch();
} else {
  await Promise.all([build(program), build(workers), build(library)]);
}
