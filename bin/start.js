// What the three executables share. CommonJS, because it starts faster than a module: `--version` is answered from
// here, everything else by the built program (its source: src/cli/entry.ts).

const built = '../dist/cli/entry.js';

module.exports = (name) => {
  if (process.argv[2] === '--version') return tellVersion();
  let program;
  try {
    program = require(built);
  } catch (error) {
    return fail(error);
  }
  program.run(name);
};

function tellVersion() {
  const { version } = require('../package.json');
  try {
    require('node:fs').writeSync(1, `scout-chat ${version}\n`);
  } catch (error) {
    if (error.code === 'EPIPE' || error.code === 'EBADF') return;
    const why = error.code === 'ENOSPC' ? 'the disk is full' : error.message;
    fail(new Error(`cannot write to standard output: ${why}`));
  }
}

function fail(error) {
  const missing =
    error.code === 'MODULE_NOT_FOUND' && !require('node:fs').existsSync(`${__dirname}/${built}`);
  const text = missing ? 'the program is not built yet\n  next: npm run build' : error.message;
  process.exitCode = 1;
  process.stderr.write(`error: ${text}\n`);
}
