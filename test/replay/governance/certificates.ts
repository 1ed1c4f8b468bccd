/** Requests for certificates: what is asked of the reference server. */
import type { KindCases } from '../kind-cases';
import type { Body, Json } from '../reference';
import { certificateRequest, type Requested } from '../scenarios/certificate-request';

const PEM = certificateRequest({ commonName: 'alice', organizations: ['devs'] });
const encoded = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
const GOOD: Body = { request: encoded(PEM), signerName: 'example.com/signer', usages: ['client auth'] };

const spec = (more: Body): Body => ({ spec: { ...GOOD, ...more } });
const without = (member: string): Body => ({ spec: Object.fromEntries(Object.entries(GOOD).filter(([name]) => name !== member)) });
const signer = (signerName: string): Body => spec({ signerName });
const usages = (...list: Json[]): Body => spec({ usages: list });
const text = (pem: string): Body => spec({ request: encoded(pem) });
const asked = (requested: Requested): Body => text(certificateRequest(requested));

const [A, B] = ['a'.repeat(63), 'b'.repeat(63)];
/** 253 bytes, the most. */
const DOMAIN = `${A}.${A}.${A}.${A.slice(2)}`;
const path = (bytes: number): string => `${B}.`.repeat(5).slice(0, bytes - 1) + 'b';

const lines = PEM.trimEnd().split('\n');
const content = Buffer.from(lines.slice(1, -1).join(''), 'base64');
const pemOf = (bytes: Buffer, type = 'CERTIFICATE REQUEST'): string =>
  `-----BEGIN ${type}-----\n${bytes.toString('base64')}\n-----END ${type}-----\n`;
const KEY = pemOf(Buffer.from('hello'), 'PUBLIC KEY');

const TEXTS: Readonly<Record<string, Body>> = {
  'no text': spec({ request: '' }),
  'another text': text('hello'),
  'another type': text(pemOf(content, 'NEW CERTIFICATE REQUEST')),
  'another block first': text(KEY + PEM),
  'another block last': text(PEM + KEY),
  'two requests': text(PEM + PEM),
  'words around it': text(`hello\n${PEM}hello`),
  'a line that is indented': text(` ${PEM}`),
  'blanks at the ends of lines': text(PEM.replaceAll('\n', ' \n')),
  'a tab at the end of the first line': text(PEM.replace('\n', '\t\n')),
  'lines that end in two signs': text(PEM.replaceAll('\n', '\r\n')),
  'empty lines': text(PEM.replaceAll('\n', '\n\n')),
  'no last line break': text(PEM.trimEnd()),
  'one long line': text(pemOf(content)),
  'a header': text(PEM.replace('\n', '\nA: b\n\n')),
  'two headers': text(PEM.replace('\n', '\nA: b\nC: d\n\n')),
  'a header without an empty line': text(PEM.replace('\n', '\nA: b\n')),
  'a beginning that does not end': text(`${lines[0] ?? ''}\n${PEM}`),
  'a broken block first': text(`${pemOf(Buffer.alloc(0)).replace('\n', '\n!!!\n')}${PEM}`),
  'another end': text(PEM.replace('END CERTIFICATE REQUEST', 'END CERTIFICATE')),
  'no end': text(PEM.slice(0, PEM.indexOf('-----END'))),
  'one sign too few': text(PEM.replace(/.\n-----END/, '\n-----END')),
  'nothing in it': text(pemOf(Buffer.alloc(0))),
  'a byte more': text(pemOf(Buffer.concat([content, Buffer.of(0)]))),
  'a byte less': text(pemOf(content.subarray(0, -1))),
  'a length that is not told': text(pemOf(Buffer.of(0x30, 0x80, 0, 0))),
  'a list of nothing': text(pemOf(Buffer.of(0x30, 0))),
  'the signature of another key': asked({ commonName: 'alice', signature: 'of another key' }),
};

export const SIGNING_REQUESTS: KindCases = {
  resource: 'certificatesigningrequests',
  kind: 'CertificateSigningRequest',
  apiVersion: 'certificates.k8s.io/v1',
  namespaced: false,
  base: { spec: GOOD },
  createsOnly: true,
  unrecorded: ['request', 'username', 'uid', 'groups', 'extra'],
  bodies: {
    plain: { spec: GOOD },
    'no spec': {},
    'an empty spec': { spec: {} },
    'no request': without('request'),
    'no signer': without('signerName'),
    'no usages': without('usages'),
    ...TEXTS,
    'a signer without a path': signer('example.com'),
    'a signer with two paths': signer('example.com/a/b'),
    'a signer with an empty path': signer('example.com/'),
    'a signer with an empty domain': signer('/a'),
    'a signer of no domain': signer('example/a'),
    'a signer in capitals': signer('Example.Com/A'),
    'a signer with an empty label': signer('example..com/a'),
    'a signer with other signs': signer('example.com/a_b:c'),
    'a signer with many faults': signer('ex_.com_/a_.b_'),
    'a signer of no domain with many faults': signer('x_/y_'),
    'a signer with dots in its path': signer('example.com/a.b-c.1'),
    'a signer with a long label': signer(`${A}a.com/a`),
    'a signer with a long domain': signer(`${DOMAIN}/a`),
    'a signer with too long a domain': signer(`a${DOMAIN.replace('.', '.a')}/a`),
    'a signer with a long path': signer(`example.com/${'b'.repeat(253)}`),
    'a signer with too long a part of its path': signer(`example.com/${'b'.repeat(254)}`),
    'the longest signer': signer(`${DOMAIN}/${path(317)}`),
    'a longer signer': signer(`${DOMAIN}/${path(318)}`),
    'a long signer of a short domain': signer(`example.com/${path(318)}`),
    'a signer that is too long all over': signer(`a${DOMAIN.replace('.', '.a')}/${path(320)}_`),
    'the signer of old': signer('kubernetes.io/legacy-unknown'),
    'a signer of the product': signer('kubernetes.io/kube-apiserver-client'),
    'an unknown signer of the product': signer('kubernetes.io/other'),
    'no usage': usages(),
    'every usage': usages(
      'signing',
      'digital signature',
      'content commitment',
      'key encipherment',
      'key agreement',
      'data encipherment',
      'cert sign',
      'crl sign',
      'encipher only',
      'decipher only',
      'any',
      'server auth',
      'client auth',
      'code signing',
      'email protection',
      's/mime',
      'ipsec end system',
      'ipsec tunnel',
      'ipsec user',
      'timestamping',
      'ocsp signing',
      'microsoft sgc',
      'netscape sgc',
    ),
    'usages twice': usages('client auth', 'server auth', 'client auth', 'client auth', 'server auth'),
    'unknown usages': usages('other', 'client auth', ''),
    'unknown usages twice': usages('other', 'other', 'client auth', 'client auth', 'last'),
    'no time': spec({ expirationSeconds: 0 }),
    'a time before': spec({ expirationSeconds: -1 }),
    'too short a time': spec({ expirationSeconds: 599 }),
    'the shortest time': spec({ expirationSeconds: 600 }),
    'the longest time': spec({ expirationSeconds: 2_147_483_647 }),
    'everything wrong': {
      spec: { request: encoded('hello'), usages: ['other', 'other'], signerName: 'nobody', expirationSeconds: 1 },
    },
    'a status': { spec: GOOD, status: { certificate: encoded('hello') } },
  },
  changes: {
    'another request': [{ spec: GOOD }, asked({ commonName: 'bob' })],
    'another signer': [{ spec: GOOD }, signer('nobody')],
    'other usages': [{ spec: GOOD }, usages()],
    'another time': [{ spec: GOOD }, spec({ expirationSeconds: 1 })],
    'no spec any more': [{ spec: GOOD }, {}],
    labels: [{ spec: GOOD }, { metadata: { labels: { a: 'b' } }, spec: GOOD }],
  },
};
