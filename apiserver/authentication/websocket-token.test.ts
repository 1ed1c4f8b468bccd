import { staticTokens } from './static-tokens';
import { authenticateTokensInOrder } from './tokens';
import { webSocketTokens } from './websocket-token';

const ann = { name: 'ann', groups: [] };
const authenticateToken = authenticateTokensInOrder([staticTokens((token) => (token === 'secret' ? ann : undefined), [])]);
const asked = ['Connection', 'keep-alive, Upgrade', 'Upgrade', 'WebSocket'];
const encoded = (token: string): string => Buffer.from(token).toString('base64url');
const protocol = (text: string): string => `base64url.bearer.authorization.k8s.io.${text}`;
const ask = (rawHeaders: readonly string[]): unknown =>
  webSocketTokens(authenticateToken, []).authenticate({ authorization: undefined, certificate: undefined, rawHeaders, url: '/' });
const name = 'Sec-WebSocket-Protocol';

it.each<[string, readonly string[]]>([
  ['in one header', [name, `${protocol(encoded('secret'))}, binary.k8s.io`]],
  ['in a header of its own', [name, 'binary.k8s.io', name.toLowerCase(), protocol(encoded('secret'))]],
  ['in our own spelling', [name, `x,base64url.bearer.authorization.platform.io.${encoded('secret')}`]],
])('takes a token %s', (_title, headers) => {
  expect(ask([...asked, ...headers])).toMatchObject({ type: 'user', user: ann });
});

it.each<[string, string]>([
  ['nobody knows', `${protocol(encoded('other'))}, x`],
  ['stands alone', protocol(encoded('secret'))],
  ['is one of two', `${protocol(encoded('secret'))}, ${protocol(encoded('secret'))}, x`],
  ['is empty', `${protocol('')}, x`],
  ['is padded', `${protocol(Buffer.from('secrets').toString('base64'))}, x`],
  ['is no base64', `${protocol('%73ecret')}, x`],
  ['has a blank in it', `${protocol(encoded('secret x'))}, x`],
  ['is no text', `${protocol(Buffer.from([0xff, 0xfe]).toString('base64url'))}, x`],
  ['is very long', `${protocol(encoded('x'.repeat(16_000)))}, x`],
])('refuses a token that %s', (_title, value) => {
  expect(ask([...asked, name, value])).toEqual({ type: 'failed' });
});

it.each<[string, readonly string[]]>([
  ['that asks for no upgrade', ['Upgrade', 'websocket', name, `${protocol(encoded('secret'))}, x`]],
  ['that asks for something else', ['Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', name, `${protocol(encoded('secret'))}, x`]],
  ['without a token', [...asked, name, 'binary.k8s.io']],
  ['without any protocol', asked],
])('sees nothing in a request %s', (_title, headers) => {
  expect(ask(headers)).toEqual({ type: 'none' });
});
