/** Single links, as a page of a Service contains them that is read through the proxy of an API server. */
import { rewriteLink } from './rewrite-link';

const PREFIX = '/api/v1/namespaces/n/services/s:w/proxy';
const addresses = { prefix: PREFIX, backend: new URL('http://192.0.2.2:8080'), host: 'api.example:6443' };

describe('rewriteLink', () => {
  test.each([
    ['/', `${PREFIX}/`],
    ['/x', `${PREFIX}/x`],
    ['/x/?q=1&r=2#f', `${PREFIX}/x/?q=1&r=2#f`],
    ['/#f', `${PREFIX}/#f`],
    ['/a b', `${PREFIX}/a%20b`],
    ['/a%2fb', `${PREFIX}/a%2fb`],
    ['/a/./b/../c', `${PREFIX}/a/c`],
    ['/../x', `${PREFIX}/x`],
    [' /x\n', `${PREFIX}/x`],
    ['/\tx', `${PREFIX}/x`],
    ['\\x', `${PREFIX}/x`],
    ['http://192.0.2.2:8080/x', `${PREFIX}/x`],
    ['HTTP://192.0.2.2:8080/X', `${PREFIX}/X`],
    ['https://192.0.2.2:8080/x', `${PREFIX}/x`],
    ['//192.0.2.2:8080/x', `${PREFIX}/x`],
    ['http://192.0.2.2:8080', `${PREFIX}/`],
    [`http://192.0.2.2:8080${PREFIX}/x`, `${PREFIX}/x`],
    ['https://api.example:6443/x', `https://api.example:6443${PREFIX}/x`],
    ['http://API.example:6443/x', `http://api.example:6443${PREFIX}/x`],
    ['//api.example:6443/x', `//api.example:6443${PREFIX}/x`],
  ])('rewrites %j to go through the proxy', (link, rewritten) => {
    expect(rewriteLink(link, addresses)).toBe(rewritten);
  });

  test.each([
    // Relative links, and links that lead through the proxy already.
    ...['', 'x', './x', '../x', '?q=/x', '#/x', `${PREFIX}/x`, `${PREFIX}`, `https://api.example:6443${PREFIX}/x`],
    // Links to other hosts.
    ...['http://other.example/x', '//other.example/x', '/\\other.example/x', '\\\\other.example/x', 'http://192.0.2.2/x'],
    ...['http://user@other.example/x', 'http://192.0.2.2:8080@other.example/x', 'ftp://192.0.2.2:8080/x', 'http:/x', 'http:x'],
    // Links that are not addresses of web pages, and malformed ones.
    ...['mailto:a@b', 'javascript:f("/x")', 'data:text/plain,/x', ':/x', 'http://[/x', '//'],
  ])('leaves %j unchanged', (link) => {
    expect(rewriteLink(link, addresses)).toBeUndefined();
  });

  it('recognizes a backend and a server at the default port of their scheme', () => {
    const atDefaultPort = { prefix: PREFIX, backend: new URL('https://192.0.2.2'), host: 'api.example' };
    expect(rewriteLink('https://192.0.2.2:443/x', atDefaultPort)).toBe(`${PREFIX}/x`);
    expect(rewriteLink('https://api.example:443/x', atDefaultPort)).toBe(`https://api.example${PREFIX}/x`);
  });

  it('keeps a link to the server when the request does not state the host of the server', () => {
    const withoutHost = { ...addresses, host: '' };
    expect(rewriteLink('https://api.example:6443/x', withoutHost)).toBeUndefined();
  });
});
