import { staticTokenAuthenticator } from './static-tokens';
import { unionTokenAuthenticator } from './token-union';
import { webSocketTokenAuthenticator } from './websocket-token';

const ann = { name: 'ann', groups: [] };
const authenticateToken = unionTokenAuthenticator([staticTokenAuthenticator((token) => (token === 'secret' ? ann : undefined), [])]);
const UPGRADE_HEADERS = ['Connection', 'keep-alive, Upgrade', 'Upgrade', 'WebSocket'];
const encoded = (token: string): string => Buffer.from(token).toString('base64url');
const protocol = (text: string): string => `base64url.bearer.authorization.k8s.io.${text}`;
const authenticate = (rawHeaders: readonly string[]): unknown =>
  webSocketTokenAuthenticator(authenticateToken, []).authenticate({
    authorization: undefined,
    certificate: undefined,
    rawHeaders,
    url: '/',
  });
const name = 'Sec-WebSocket-Protocol';

it.each<[string, readonly string[]]>([
  ['among other protocols in one header', [name, `${protocol(encoded('secret'))}, binary.k8s.io`]],
  ['in a separate header', [name, 'binary.k8s.io', name.toLowerCase(), protocol(encoded('secret'))]],
  ['in the platform spelling', [name, `x,base64url.bearer.authorization.platform.io.${encoded('secret')}`]],
])('WebSocket token authentication accepts a token %s', (_title, headers) => {
  expect(authenticate([...UPGRADE_HEADERS, ...headers])).toMatchObject({ type: 'user', user: ann });
});

it.each<[string, string]>([
  ['is unknown', `${protocol(encoded('other'))}, x`],
  ['is the only protocol', protocol(encoded('secret'))],
  ['occurs twice', `${protocol(encoded('secret'))}, ${protocol(encoded('secret'))}, x`],
  ['is empty', `${protocol('')}, x`],
  ['is padded', `${protocol(Buffer.from('secrets').toString('base64'))}, x`],
  ['is not base64url', `${protocol('%73ecret')}, x`],
  ['contains a space', `${protocol(encoded('secret x'))}, x`],
  ['is not UTF-8', `${protocol(Buffer.from([0xff, 0xfe]).toString('base64url'))}, x`],
  ['is very long', `${protocol(encoded('x'.repeat(16_000)))}, x`],
])('WebSocket token authentication rejects a token that %s', (_title, value) => {
  expect(authenticate([...UPGRADE_HEADERS, name, value])).toEqual({ type: 'failed' });
});

it.each<[string, readonly string[]]>([
  ['without an upgrade', ['Upgrade', 'websocket', name, `${protocol(encoded('secret'))}, x`]],
  ['that upgrades to SPDY', ['Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', name, `${protocol(encoded('secret'))}, x`]],
  ['without a token', [...UPGRADE_HEADERS, name, 'binary.k8s.io']],
  ['without protocols', UPGRADE_HEADERS],
])('WebSocket token authentication ignores a request %s', (_title, headers) => {
  expect(authenticate(headers)).toEqual({ type: 'none' });
});
