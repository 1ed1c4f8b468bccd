import { rewriteLink } from './rewrite-link';

const PREFIX = '/api/v1/namespaces/n/services/s:w/proxy';
const context = { prefix: PREFIX, backend: new URL('http://192.0.2.2:8080'), host: 'api.example:6443' };

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
    expect(rewriteLink(link, context)).toBe(rewritten);
  });

  test.each([
    ...['', 'x', './x', '../x', '?q=/x', '#/x', `${PREFIX}/x`, `${PREFIX}`, `https://api.example:6443${PREFIX}/x`],
    ...['http://other.example/x', '//other.example/x', '/\\other.example/x', '\\\\other.example/x', 'http://192.0.2.2/x'],
    ...['http://user@other.example/x', 'http://192.0.2.2:8080@other.example/x', 'ftp://192.0.2.2:8080/x', 'http:/x', 'http:x'],
    ...['mailto:a@b', 'javascript:f("/x")', 'data:text/plain,/x', ':/x', 'http://[/x', '//'],
  ])('leaves %j unchanged', (link) => {
    expect(rewriteLink(link, context)).toBeUndefined();
  });

  it('recognizes a backend and a server at the default port of their scheme', () => {
    const plain = { prefix: PREFIX, backend: new URL('https://192.0.2.2'), host: 'api.example' };
    expect(rewriteLink('https://192.0.2.2:443/x', plain)).toBe(`${PREFIX}/x`);
    expect(rewriteLink('https://api.example:443/x', plain)).toBe(`https://api.example${PREFIX}/x`);
    expect(rewriteLink('https://api.example/x', { ...plain, host: '' })).toBeUndefined();
  });
});
