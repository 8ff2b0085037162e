// Files that are written whole or not at all, on the real file system.

import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFiles } from '../../src/world/files.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const files = createFiles();

async function* pieces(...all: readonly (string | Uint8Array | Error)[]) {
  for (const piece of all) {
    await new Promise((resolve) => setImmediate(resolve));
    if (piece instanceof Error) throw piece;
    yield piece;
  }
}

describe('writing', () => {
  for (const flush of [true, false])
    test(`${flush ? 'flushed' : 'not flushed'}: makes folders, keeps the mode, follows a link, leaves nothing beside`, async () => {
      const folder = temporaryFolder({ target: 'old' });
      chmodSync(join(folder, 'target'), 0o640);
      symlinkSync('target', join(folder, 'link'));
      await files.write(join(folder, 'link'), 'new', { flush });
      expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
      expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('new');
      expect(statSync(join(folder, 'target')).mode & 0o777).toBe(0o640);
      await files.write(join(folder, 'a/b/c'), new Uint8Array([1]), { flush, mode: 0o600 });
      expect(statSync(join(folder, 'a/b/c')).mode & 0o777).toBe(0o600);
      expect(readdirSync(folder).sort()).toEqual(['a', 'link', 'target']);
    });

  test('replaces a link that leads nowhere', async () => {
    const folder = temporaryFolder();
    symlinkSync('gone', join(folder, 'link'));
    await files.write(join(folder, 'link'), 'x');
    expect(readdirSync(folder)).toEqual(['link']);
  });

  const places: readonly { name: string; place: string; code: string }[] = [
    { name: 'where a folder is', place: 'folder', code: 'is-folder' },
    { name: 'below a file', place: 'file/x', code: 'missing-file' },
    { name: 'with a name that is too long', place: 'x'.repeat(250), code: 'missing-file' },
  ];
  for (const { name, place, code } of places)
    test(`${name} is refused, whole or in pieces, and leaves nothing`, async () => {
      const folder = temporaryFolder({ 'folder/': '', file: 'kept' });
      for (const write of [
        () => files.write(join(folder, place), 'x'),
        () => files.writePieces(join(folder, place), pieces('x')),
      ])
        await expect(write()).rejects.toMatchObject({ code, exitCode: 1 });
      expect(readdirSync(folder).sort()).toEqual(['file', 'folder']);
      expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('kept');
    });
});

describe('what is no regular file stays what it is when it is written to:', () => {
  /** Reads the pipe in a process of its own, as whoever waits at its other end does. */
  const reader = (pipe: string) =>
    new Promise<string>((resolve, reject) =>
      execFile('cat', [pipe], (error, stdout) =>
        error === null ? resolve(stdout) : reject(error),
      ),
    );

  for (const [name, place] of [
    ['a named pipe', 'pipe'],
    ['a link to one', 'link'],
  ] as const)
    test(name, async () => {
      const folder = temporaryFolder();
      execFileSync('mkfifo', [join(folder, 'pipe')]);
      symlinkSync('pipe', join(folder, 'link'));
      const read = reader(join(folder, 'pipe'));
      await files.write(join(folder, place), 'whole');
      expect(await read).toBe('whole');
      expect(statSync(join(folder, 'pipe')).isFIFO()).toBe(true);
      expect(readdirSync(folder).sort()).toEqual(['link', 'pipe']);
    });

  test('a full device', async () => {
    await expect(files.write('/dev/full', 'x')).rejects.toMatchObject({ code: 'disk-full' });
    expect(statSync('/dev/full').isCharacterDevice()).toBe(true);
  });
});

describe('what is no regular file is not waited for, and not read without end:', () => {
  const folder = temporaryFolder({ 'folder/': '' });
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  symlinkSync('pipe', join(folder, 'link'));
  symlinkSync('/dev/zero', join(folder, 'zero'));
  for (const name of ['pipe', 'link', 'zero'])
    test(name, async () => {
      const place = join(folder, name);
      await expect(files.pieces(place)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
        code: 'not-a-file',
      });
      await expect(files.read(place)).rejects.toMatchObject({
        code: 'not-a-file',
        exitCode: 2,
        message: `cannot read "${place}": it is no regular file`,
      });
      expect((await files.readStart(place, 4)).length).toBeLessThanOrEqual(4);
      expect((await files.readFrom(place, 0)).length).toBe(0);
    });

  test('a folder is told as one', async () => {
    const reading = files.read(join(folder, 'folder'));
    await expect(reading).rejects.toMatchObject({ code: 'is-folder', exitCode: 2 });
  });

  test('what people name themselves is read to its end', async () => {
    const written = new Promise((resolve) =>
      execFile('sh', ['-c', `echo hi > ${folder}/pipe`], resolve),
    );
    expect(new TextDecoder().decode(await files.read('/dev/null', { anyKind: true }))).toBe('');
    expect(String(Buffer.from(await files.read(join(folder, 'pipe'), { anyKind: true })))).toBe(
      'hi\n',
    );
    await written;
  });
});

describe('writing in pieces', () => {
  test('puts the whole in place when the last piece is there', async () => {
    const file = join(temporaryFolder(), 'sub/file');
    await files.writePieces(file, pieces('a', new Uint8Array([0xc3]), new Uint8Array([0xa4]), 'b'));
    expect(readFileSync(file, 'utf8')).toBe('aäb');
  });

  test('keeps what was there while pieces arrive, and when they break off', async () => {
    const folder = temporaryFolder({ file: 'old' });
    const file = join(folder, 'file');
    const broken = new Error('broke');
    await expect(files.writePieces(file, pieces('new', broken))).rejects.toBe(broken);
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['file']);
  });
});

describe('the rest', () => {
  test('a digest is that of the content, of any length', async () => {
    const folder = temporaryFolder({ empty: '', long: 'x'.repeat(1_000_000) });
    expect(await files.digest(join(folder, 'empty'))).toMatch(/^e3b0c44298fc1c149afbf4c8996fb924/);
    expect(await files.digest(join(folder, 'long'))).toMatch(/^1b977e9f84f1b26b/);
    await expect(files.digest(join(folder, 'gone'))).rejects.toMatchObject({
      code: 'missing-file',
    });
    await expect(files.digest(folder)).rejects.toMatchObject({ code: 'is-folder' });
  });

  test('a file can be read from an offset on, also from its end', async () => {
    const file = join(temporaryFolder({ file: 'abcdef' }), 'file');
    const texts = await Promise.all([0, 4, 6, 9].map((offset) => files.readFrom(file, offset)));
    expect(texts.map(String)).toEqual(['abcdef', 'ef', '', '']);
  });

  test('a folder is removed with what is in it, but not what links in it lead to', async () => {
    const folder = temporaryFolder({ 'kept/file': 'x', 'gone/sub/file': 'y' });
    symlinkSync('../kept', join(folder, 'gone/link'));
    await files.removeFolder(join(folder, 'gone'));
    await files.removeFolder(join(folder, 'gone'));
    expect(readdirSync(folder)).toEqual(['kept']);
    expect(readdirSync(join(folder, 'kept'))).toEqual(['file']);
  });

  test('a folder can be made at once', () => {
    const folder = temporaryFolder({ file: '' });
    files.makeFolderNow(join(folder, 'a/b'));
    files.makeFolderNow(join(folder, 'a/b'));
    expect(readdirSync(join(folder, 'a'))).toEqual(['b']);
    expect(() => files.makeFolderNow(join(folder, 'file/x'))).toThrow(/cannot create/);
  });
});
