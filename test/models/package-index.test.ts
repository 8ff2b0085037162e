import { describe, expect, it, onTestFinished } from 'vitest';
import { findWheel, fromHtml, fromJson } from '../../src/models/package-index.ts';
import { createHttp } from '../../src/world/http.ts';
import { type Answers, startFakeServer } from '../helpers/fake-server.ts';
import { PACKAGE, packageIndex, plain, sha256, WHEEL } from '../helpers/wheel.ts';

const wheel = Buffer.from('not looked into here');
const wanted = { package: PACKAGE, version: '1.0' };

async function serve(answers: Answers) {
  const server = await startFakeServer(answers);
  onTestFinished(() => server.close());
  return server;
}

const ports = () => ({ http: createHttp({}), signal: new AbortController().signal });

describe('finding a wheel', () => {
  for (const form of ['json', 'html'] as const)
    it(`reads an index that speaks ${form}`, async () => {
      const server = await serve(packageIndex(wheel, { form }));
      const found = await findWheel(wanted, { indexes: [`${server.url}/simple/`] }, ports());
      expect(found).toEqual({
        url: `${server.url}/files/${WHEEL}`,
        filename: WHEEL,
        headers: {},
        sha256: sha256(wheel),
      });
      expect(server.requests[0]?.headers.accept).toContain('application/vnd.pypi.simple.v1+json');
    });

  it('sends user and password as a header and keeps them out of addresses', async () => {
    const server = await serve(packageIndex(wheel));
    const index = `${server.url.replace('://', '://us%40er:p%3Aw@')}/simple`;
    const found = await findWheel(wanted, { indexes: [index] }, ports());
    const authorization = `Basic ${Buffer.from('us@er:p:w').toString('base64')}`;
    expect(server.requests[0]?.headers.authorization).toBe(authorization);
    expect(found.headers).toEqual({ authorization });
    expect(found.url).toBe(`${server.url}/files/${WHEEL}`);
  });

  it('does not give user and password to another host that holds the files', async () => {
    const files = await serve(plain(404, ''));
    const server = await serve({
      headers: { 'content-type': 'application/vnd.pypi.simple.v1+json' },
      body: JSON.stringify({
        files: [{ filename: WHEEL, url: `${files.url}/${WHEEL}`, hashes: {} }],
      }),
    });
    const index = `${server.url.replace('://', '://user:word@')}/simple`;
    const found = await findWheel(wanted, { indexes: [index] }, ports());
    expect(found.headers).toEqual({});
  });

  it('goes on to the next index', async () => {
    const empty = await serve(plain(404, ''));
    const broken = await serve(plain(500, 'down'));
    const good = await serve(packageIndex(wheel));
    const indexes = [empty, broken, good].map(({ url }) => `${url}/simple`);
    const found = await findWheel(wanted, { indexes }, ports());
    expect(found.url).toBe(`${good.url}/files/${WHEEL}`);
  });

  it('says of each index why it was none, without passwords', async () => {
    const empty = await serve(plain(404, ''));
    const old = await serve(packageIndex(wheel));
    const junk = await serve({ headers: { 'content-type': 'application/json' }, body: '<html>' });
    const indexes = [
      `${empty.url.replace('://', '://user:secret@')}/simple`,
      `${old.url}/simple`,
      `${junk.url}/simple`,
      'http://user:secret@127.0.0.1:1/simple',
    ];
    const failure = await findWheel(
      { package: PACKAGE, version: '2.0' },
      { indexes },
      ports(),
    ).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'package-not-found', exitCode: 4 });
    const { detail } = failure as { detail: readonly string[] };
    expect(detail[0]).toBe(`127.0.0.1:${empty.port} has no wheel of ${PACKAGE} 2.0`);
    expect(detail[1]).toBe(`127.0.0.1:${old.port} has no wheel of ${PACKAGE} 2.0`);
    expect(detail[2]).toContain('JSON');
    expect(detail[3]).toContain('ECONNREFUSED');
    expect(detail.join()).not.toContain('secret');
  });

  it('says what to do when no index is known', async () => {
    await expect(findWheel(wanted, { indexes: [] }, ports())).rejects.toMatchObject({
      exitCode: 4,
      next: 'install pip, or set PIP_INDEX_URL to the address of a package index',
    });
  });
});

describe('the files of a page', () => {
  it('are read from anchors in many spellings', () => {
    const digest = 'a'.repeat(64);
    const text = `<a href='a.whl#sha256=${digest}'>a.whl</a><A class="x" HREF="b.whl?x=1&amp;y=2#md5=9">b.whl</A>
      <a>none</a><a href="">empty</a><a href="c.whl" data-yanked="">\n c.whl </a>`;
    expect(fromHtml(text)).toEqual([
      { url: 'a.whl', filename: 'a.whl', sha256: digest },
      { url: 'b.whl?x=1&y=2', filename: 'b.whl' },
      { url: 'c.whl', filename: 'c.whl' },
    ]);
  });

  it('are read from JSON, odd entries left out', () => {
    const files = [
      null,
      3,
      {},
      { filename: 'a' },
      { filename: 'a', url: 'b', hashes: { sha256: 7 } },
    ];
    expect(fromJson(JSON.stringify({ files }))).toEqual([{ filename: 'a', url: 'b' }]);
    expect(fromJson('[]')).toEqual([]);
  });
});
