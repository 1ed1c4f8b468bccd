/** The paths and headers of the API documentation, and the compression of its scripts. */
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

  it('allows scripts and styles only with the nonce of the response, and no other host', async () => {
    const first = await request('/docs/');
    const policy = String(first?.headers['content-security-policy']);
    // 22 letters and digits are more than 128 random bits.
    const nonce = /script-src 'nonce-([A-Za-z0-9]{22})';/.exec(policy)?.[1] ?? '';
    expect(policy).toContain("default-src 'none';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const elementsWithNonce = [...String(first?.body).matchAll(/<(?:script|style)[^>]*>/g)].map(([tag]) => tag);
    expect(elementsWithNonce).toHaveLength(2);
    for (const tag of elementsWithNonce) expect(tag).toContain(` nonce="${nonce}"`);
    const second = await request('/docs/');
    expect(second?.headers['content-security-policy']).not.toBe(policy);
  });

  it('sends a script compressed to a client that accepts gzip', async () => {
    const compressed = await request('/docs/redoc.js', { acceptsGzip: true });
    expect(compressed).toMatchObject({ status: 200, headers: { 'content-encoding': 'gzip' }, body: gzipSync(SCRIPT) });
  });

  it('sends a script uncompressed to other clients', async () => {
    const plain = await request('/docs/page.js');
    expect(plain).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/javascript; charset=utf-8', 'x-content-type-options': 'nosniff' },
    });
    expect(String(plain?.body)).toBe(SCRIPT);
  });

  it('responds 304 without a body to a client that has the script', async () => {
    const first = await request('/docs/page.js');
    const second = await request('/docs/page.js', { ifNoneMatch: String(first?.headers['etag']) });
    expect(second).toMatchObject({ status: 304, body: Buffer.alloc(0) });
  });

  it('does not handle another path', async () => {
    expect(await request('/docs/other')).toBeUndefined();
  });

  it('fails to load with the name of its flag when a script is missing', async () => {
    await expect(loadPageScripts(path.join(folder, 'none'))).rejects.toThrow(/^--enable-api-docs: cannot read .*, which the build creates/);
  });
});
