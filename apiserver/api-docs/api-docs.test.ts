import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { systemRandom } from '../../shared/runtime/random';
import { useFolder } from '../../test/support/use-resource';
import type { DocumentRequest, DocumentResponse } from '../discovery/document-handler';
import { createApiDocs, loadPageScripts, SCRIPT_FILES } from './api-docs';

const folder = useFolder('api-docs');
const SCRIPT = 'console.log(1);\n';

beforeAll(() => {
  mkdirSync(path.join(folder, 'browser'));
  for (const name of Object.values(SCRIPT_FILES)) writeFileSync(path.join(folder, name), gzipSync(SCRIPT));
});

async function request(requestPath: string, changes: Partial<DocumentRequest> = {}): Promise<DocumentResponse | undefined> {
  const docs = createApiDocs(await loadPageScripts(folder), systemRandom);
  return docs.handle({ path: requestPath, query: '', accept: undefined, ifNoneMatch: undefined, pretty: false, ...changes });
}

describe('the API documentation', () => {
  it('redirects to its folder, relative to the address of the browser', async () => {
    expect(await request('/docs')).toMatchObject({ status: 301, headers: { location: 'docs/' } });
  });

  it('allows scripts and styles by a nonce that no other response has, and no other host', async () => {
    const first = await request('/docs/');
    const policy = String(first?.headers['content-security-policy']);
    const nonce = /script-src 'nonce-([A-Za-z0-9]{22})';/.exec(policy)?.[1] ?? '';
    expect(policy).toContain("default-src 'none';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const elements = [...String(first?.body).matchAll(/<(?:script|style)[^>]*>/g)].map(([tag]) => tag);
    expect(elements).toHaveLength(2);
    for (const tag of elements) expect(tag).toContain(` nonce="${nonce}"`);
    expect((await request('/docs/'))?.headers['content-security-policy']).not.toBe(policy);
  });

  it('sends scripts compressed to clients that accept it, and not again to clients that have them', async () => {
    const compressed = await request('/docs/redoc.js', { acceptsGzip: true });
    expect(compressed).toMatchObject({ status: 200, headers: { 'content-encoding': 'gzip' }, body: gzipSync(SCRIPT) });
    const plain = await request('/docs/page.js');
    expect(plain).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/javascript; charset=utf-8', 'x-content-type-options': 'nosniff' },
    });
    expect(String(plain?.body)).toBe(SCRIPT);
    expect(await request('/docs/page.js', { ifNoneMatch: String(plain?.headers['etag']) })).toMatchObject({
      status: 304,
      body: Buffer.alloc(0),
    });
  });

  it('handles no other path', async () => {
    expect(await request('/docs/other')).toBeUndefined();
  });

  it('fails to load with the name of its flag when a script is missing', async () => {
    await expect(loadPageScripts(path.join(folder, 'none'))).rejects.toThrow(/^--enable-api-docs: cannot read .*, which the build creates/);
  });
});
