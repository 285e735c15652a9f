import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiError, ResponseError } from '../../src/core/errors.js';
import { json, raw, reply, WireServer, type Answer } from '../support/wire-server.js';
import { free, post } from './calls.js';
import { rejection, testClient } from './client.js';

let server: WireServer;
let answer: Answer;

beforeEach(async () => {
  server = await WireServer.start(() => answer);
});

const mib = 1024 * 1024;

/** Sends chunks of 64 KiB for as long as the other side reads. */
const endless =
  (head: string, chunk = Buffer.alloc(65_536, ' ')): Answer =>
  (socket) => {
    socket.write(`${head}\r\ntransfer-encoding: chunked\r\n\r\n`);
    const more = () => {
      while (!socket.destroyed && socket.write(Buffer.concat([Buffer.from('10000\r\n'), chunk, Buffer.from('\r\n')])));
    };
    socket.on('drain', more);
    more();
  };

describe('maxResponseBytes', () => {
  it('ends an endless body, and the connection with it', async () => {
    answer = endless('HTTP/1.1 200 OK');
    const error = (await rejection(
      post.call(testClient(server.url, { maxResponseBytes: mib }).client),
    )) as ResponseError;
    expect(error).toMatchObject({ name: 'ResponseError', status: 200, outcome: 'unknown' });
    expect(error.message).toContain('maxResponseBytes');
    expect(error.rawBody.length).toBeLessThanOrEqual(mib);
    await server.allClosed();
    expect(server.requests).toHaveLength(1);
  });

  it('ends the endless body of a refusal, which is still a refusal', async () => {
    answer = endless('HTTP/1.1 403 No', Buffer.alloc(65_536, 'no '));
    const error = (await rejection(post.call(testClient(server.url, { maxResponseBytes: mib }).client))) as ApiError;
    expect(error).toMatchObject({ name: 'PermissionError', status: 403, outcome: 'rejected' });
    expect(error.message.length).toBeLessThan(400);
    expect(String(error.body).length).toBeLessThanOrEqual(mib);
    await server.allClosed();
  });

  it('counts decoded bytes: a bomb of gzip is cut while it unpacks', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * mib, ' '));
    expect(bomb.length).toBeLessThan(mib / 8);
    answer = reply({ body: bomb, headers: [['content-encoding', 'gzip']] });
    const error = (await rejection(
      free.call(testClient(server.url, { maxResponseBytes: mib }).client),
    )) as ResponseError;
    expect(error).toMatchObject({ name: 'ResponseError' });
    expect(error.rawBody.length).toBeLessThanOrEqual(mib);
  });

  it('is 10 MiB by default', async () => {
    const body = (bytes: number) => JSON.stringify(free.good).padEnd(bytes);
    const { client } = testClient(server.url);
    answer = reply({ body: body(10 * mib) });
    await free.call(client);
    answer = reply({ body: body(10 * mib + 1) });
    expect(await rejection(free.call(client))).toMatchObject({ name: 'ResponseError' });
  });

  it('counts bytes, not letters', async () => {
    const body = JSON.stringify({ ...(free.good as object), note: 'é'.repeat(100) });
    answer = reply({ body });
    const bytes = Buffer.byteLength(body);
    await free.call(testClient(server.url, { maxResponseBytes: bytes }).client);
    expect(await rejection(free.call(testClient(server.url, { maxResponseBytes: bytes - 1 }).client))).toMatchObject({
      name: 'ResponseError',
    });
  });
});

describe('a body that is read', () => {
  it('keeps letters whole that come in parts, and drops a byte-order mark that does', async () => {
    const text = JSON.stringify({ success: true, total: 1, posts: [{ postId: 'post_1', content: 'é日👍' }] });
    const chunks = [...Buffer.from(`\uFEFF${text}`)].map((byte) =>
      Buffer.from([...Buffer.from('1\r\n'), byte, ...Buffer.from('\r\n')]),
    );
    answer = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const next = () => {
        const chunk = chunks.shift();
        if (chunk === undefined) socket.write('0\r\n\r\n');
        else socket.write(chunk, () => setImmediate(next));
      };
      next();
    };
    const page = await testClient(server.url).client.posts.list();
    expect(page.items).toEqual([{ postId: 'post_1', content: 'é日👍' }]);
  });

  it('with bytes that are not UTF-8 is read with replacement characters, without an error', async () => {
    answer = reply({
      body: Buffer.concat([
        Buffer.from('{"total":0,"posts":[],"note":"'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}'),
      ]),
    });
    const page = await testClient(server.url).client.posts.list();
    expect((page.response as unknown as { note: string }).note).toBe('\uFFFD\uFFFD');
  });

  it.each([
    [
      'an HTML page',
      reply({ body: '<p>Fine', headers: [['content-type', 'text/html; charset=utf-8']] }),
      '<p>Fine',
      'text/html; charset=utf-8',
    ],
    ['nothing', reply({ status: 204 }), '', 'application/json'],
    [
      'broken JSON',
      reply({ body: '{"a":', headers: [['content-type', 'application/json']] }),
      '{"a":',
      'application/json',
    ],
    ['no content type', raw('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nnope', 'stay'), 'nope', undefined],
  ])('and is undocumented is kept: %s', async (_, made, rawBody, contentType) => {
    answer = made;
    const error = (await rejection(post.call(testClient(server.url).client))) as ResponseError;
    expect(error).toMatchObject({ name: 'ResponseError', issues: [] });
    expect(error.rawBody).toBe(rawBody);
    expect(error.contentType).toBe(contentType);
    expect(error.message).not.toContain('Fine');
  });

  it('lists all that is wrong with its shape, without quoting it', async () => {
    answer = json({ success: true, total: 'many', posts: [{ postId: 5 }, { content: 'a text' }, 'not a post'] });
    const error = (await rejection(testClient(server.url).client.posts.list())) as ResponseError;
    expect(error.issues.map(({ path }) => path.join('.'))).toEqual([
      'total',
      'posts.0.postId',
      'posts.1.postId',
      'posts.2',
    ]);
    for (const text of ['many', 'a text', 'not a post']) expect(error.message).not.toContain(text);
  });
});

describe('the list of post analytics, whose shape is not documented', () => {
  const listOf = (value: unknown) => {
    answer = json(value);
    return testClient(server.url).client.analytics.listPosts({ limit: 1 });
  };

  it.each([
    ['posts', { success: true, posts: [{ postId: 'p' }] }],
    ['the only array of objects', { success: true, results: [{ postId: 'p' }], pagination: { page: 1 } }],
    ['posts, beside other arrays', { posts: [{ postId: 'p' }], accounts: [{ id: 'a' }] }],
    ['the only array of objects, beside an empty array', { warnings: [], items: [{ postId: 'p' }] }],
    ['the only array of objects, beside an array of texts', { items: [{ postId: 'p' }], notes: ['n'] }],
  ])('is taken from %s', async (_, value) => {
    const page = await listOf(value);
    expect(page.items).toEqual([{ postId: 'p' }]);
    expect(page.response).toMatchObject(value);
  });

  it('is empty where all arrays are empty', async () => {
    expect((await listOf({ success: true, results: [], warnings: [] })).items).toEqual([]);
  });

  it.each([
    ['no array', { success: true }],
    ['two arrays of objects', { a: [{ postId: 'p' }], b: [{ postId: 'p' }] }],
    ['an array that is not at the top', { data: { posts: [] } }],
    ['an array of texts', { a: ['p'] }],
    ['an array at the top', [{ postId: 'p' }]],
    ['null', null],
    ['a text for posts, and no other array', { posts: 'none' }],
  ])('is a ResponseError where there is %s', async (_, value) => {
    expect(await rejection(listOf(value))).toMatchObject({ name: 'ResponseError', outcome: 'unknown' });
  });
});

describe('a reply that is not JSON', () => {
  it.each([
    ['content type text/html', [['content-type', 'text/html; charset=utf-8']]],
    ['content type application/problem+xml', [['content-type', 'application/problem+xml']]],
    ['no content type', [['content-type', 'nonsense']]],
  ] as const)('is reported with its type: %s', async (type, headers) => {
    answer = reply({ body: '<p>Sorry', headers });
    const error = await rejection(free.call(testClient(server.url).client));
    expect((error as Error).message).toContain(`its body is not JSON (${type})`);
  });
});
