/** Bearer tokens among the sub-protocols of a WebSocket request. */
import { staticTokenAuthenticator } from './static-tokens';
import { unionTokenAuthenticator } from './token-union';
import { webSocketTokenAuthenticator } from './websocket-token';

const ANN = { name: 'ann', groups: [] };
/** The base64 encoding of `secrets` has padding, that of `secret` has none. */
const VALID_TOKENS: readonly string[] = ['secret', 'secrets'];
const authenticateToken = unionTokenAuthenticator([
  staticTokenAuthenticator((token) => (VALID_TOKENS.includes(token) ? ANN : undefined), []),
]);
const UPGRADE_HEADERS = ['Connection', 'keep-alive, Upgrade', 'Upgrade', 'WebSocket'];
const PROTOCOL_HEADER = 'Sec-WebSocket-Protocol';
/** The token as a protocol name contains it. */
const encoded = (token: string): string => Buffer.from(token).toString('base64url');
/** The protocol that carries the encoded token. */
const protocol = (encodedToken: string): string => `base64url.bearer.authorization.k8s.io.${encodedToken}`;
const authenticate = (rawHeaders: readonly string[]): unknown =>
  webSocketTokenAuthenticator(authenticateToken, []).authenticate({
    authorization: undefined,
    certificate: undefined,
    rawHeaders,
    url: '/',
  });

describe('WebSocket token authentication', () => {
  it.each<[title: string, headers: readonly string[]]>([
    ['among other protocols in one header', [PROTOCOL_HEADER, `${protocol(encoded('secret'))}, binary.k8s.io`]],
    ['in a separate header', [PROTOCOL_HEADER, 'binary.k8s.io', 'sec-websocket-protocol', protocol(encoded('secret'))]],
    ['in the platform spelling', [PROTOCOL_HEADER, `x,base64url.bearer.authorization.platform.io.${encoded('secret')}`]],
  ])('accepts a token %s', (_title, headers) => {
    expect(authenticate([...UPGRADE_HEADERS, ...headers])).toMatchObject({ type: 'user', user: ANN });
  });

  it.each<[title: string, protocols: string]>([
    ['is unknown', `${protocol(encoded('other'))}, x`],
    ['is the only protocol', protocol(encoded('secret'))],
    ['occurs twice', `${protocol(encoded('secret'))}, ${protocol(encoded('secret'))}, x`],
    ['is empty', `${protocol('')}, x`],
    ['is padded', `${protocol(Buffer.from('secrets').toString('base64'))}, x`],
    ['is not base64url', `${protocol(`${encoded('secret')}!`)}, x`],
    ['contains a space', `${protocol(encoded('secret x'))}, x`],
    ['is not UTF-8', `${protocol(Buffer.from([0xff, 0xfe]).toString('base64url'))}, x`],
    ['is very long', `${protocol(encoded('x'.repeat(16_000)))}, x`],
  ])('rejects a token that %s', (_title, protocols) => {
    expect(authenticate([...UPGRADE_HEADERS, PROTOCOL_HEADER, protocols])).toEqual({ type: 'failed' });
  });

  it.each<[title: string, headers: readonly string[]]>([
    ['without an upgrade', ['Upgrade', 'websocket', PROTOCOL_HEADER, `${protocol(encoded('secret'))}, x`]],
    ['that upgrades to SPDY', ['Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', PROTOCOL_HEADER, `${protocol(encoded('secret'))}, x`]],
    ['without a token', [...UPGRADE_HEADERS, PROTOCOL_HEADER, 'binary.k8s.io']],
    ['without protocols', UPGRADE_HEADERS],
  ])('ignores a request %s', (_title, headers) => {
    expect(authenticate(headers)).toEqual({ type: 'none' });
  });
});
