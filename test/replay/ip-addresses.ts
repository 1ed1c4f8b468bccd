/**
 * Records which texts the reference server takes for IP addresses and ranges, of which family and class, and which ranges lie within others:
 *   node deploy/scripts/run.mjs test/replay/ip-addresses.js [seed]
 * It asks with dry runs in the namespace ingress-recordings. ip-address.test.ts replays the recordings.
 */
import { apiVersionIn } from '../../shared/names/dialect';
import { createChance } from './chance';
import { writeRecording } from './recording';
import { call, causesOf, hangUp, type Json, type Reply } from './reference';

const NAMESPACE = 'ingress-recordings';
const chance = createChance(Number(process.argv[2] ?? '1'));

const ADDRESSES = [
  ...['10.0.0.1', '010.0.0.1', '127.0.0.1', '0127.0.0.1', '126.255.255.255', '128.0.0.0', '127.255.255.255', '255.255.255.255'],
  ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:7f00:1', '::FFFF:169.254.1.1', '::ffff:224.0.0.1', '::ffff:0.0.0.0', '::ffff:0:0'],
  ...['::1', '::', '::0', '0::0', '0:0:0:0:0:0:0:0', '0:0:0:0:0:0:0:1', '::2', '1::', '0.0.0.0', '000.0.0.0', '0.0.0.1'],
  ...[
    'fe80::1',
    'fe7f::1',
    'febf::1',
    'fec0::1',
    'fe80::1%eth0',
    'ff02::1',
    'ff12::1',
    'ffff::1',
    'fff2::1',
    'ff01::1',
    'ff05::1',
    'fe02::1',
  ],
  ...[
    '224.0.0.5',
    '224.0.0.255',
    '224.0.1.1',
    '223.255.255.255',
    '239.0.0.1',
    '169.254.0.1',
    '169.253.0.1',
    '169.255.0.1',
    '169.254.255.255',
  ],
  ...[
    '',
    'x',
    ' 10.0.0.1',
    '10.0.0.1 ',
    '1.2.3',
    '1.2.3.',
    '.1.2.3',
    '1..2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '0x1.2.3.4',
    '1.2.3.a',
    '+1.2.3.4',
  ],
  ...[
    '-1.2.3.4',
    '1,2,3,4',
    '1.2.3.4/24',
    '1.2.3.4:80',
    '[::1]',
    '::1.2.3.4',
    '::127.0.0.1',
    '::1.2.3',
    '1.2.3.4::',
    '::1.2.3.4:1',
    '1:1.2.3.4',
  ],
  ...['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:', ':1:2:3:4:5:6:7', '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8', '1:2:3:4::5:6:7:8', '1:2:3:4:5:6:7:8:9'],
  ...[
    '1::2::3',
    ':::',
    ':',
    '1:::2',
    '12345::',
    '00001::',
    '::00001',
    '::0000000000001',
    '::fffff',
    '::0fffff',
    '::g',
    '::-1',
    '::+1',
    '::0x1',
  ],
  ...[
    '1:2:3:4:5:6:1.2.3.4',
    '1:2:3:4:5:1.2.3.4',
    '1:2:3:4:5:6:7:1.2.3.4',
    '1:2:3:4:5::1.2.3.4',
    '1:2:3:4:5:6::1.2.3.4',
    '64:ff9b::1.2.3.4',
  ],
  ...[
    '::ffff:0:1.2.3.4',
    '::fffe:1.2.3.4',
    '1::ffff:1.2.3.4',
    '::ffff:010.0.0.1',
    '::ffff:1.2.3.256',
    '2001:DB8::1',
    '2001:db8::ffff',
    'FE80::1',
  ],
  ...[
    '0000001.2.3.4',
    '00000000000000000001.2.3.4',
    '1.2.3.04294967297',
    '100000000000000000000.1.1.1',
    '1.2.3.4\n',
    '1.2.3.4\u0000',
    '١.2.3.4',
  ],
  ...[
    '::1\n',
    'localhost',
    '1',
    '16909060',
    '0',
    '::ffff',
    '::ffff:1',
    '::1:ffff:1.2.3.4',
    '0:0:0:0:0:ffff:1.2.3.4',
    '0:0:0:0:0:FFFF:a00:1',
  ],
];

const RANGES = [
  ...['10.0.0.0/8', '10.0.0.1/8', '010.0.0.0/8', '10.0.0.0/08', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/+8', '10.0.0.0/0', '10.0.0.0/32'],
  ...['::/0', '::/128', '::/129', '::/1280', '::ffff:10.0.0.0/8', '::ffff:10.0.0.0/104', '::ffff:10.0.0.0/33', '::ffff:10.0.0.0/129'],
  ...['10.0.0.0', '10.0.0.0/', '/8', '/', '', '10.0.0.0/8/8', 'fe80::1%eth0/64', '10.0/16', ' 10.0.0.0/8', '10.0.0.0/8 ', '10.0.0.0 /8'],
  ...['10.0.0.0/032', '10.0.0.0/0000000008', '10.0.0.0/99999999999', '10.0.0.0/8.0', '10.0.0.0/0x8', '2001:DB8::/32', '2001:db8::1/32'],
  ...['127.0.0.0/8', 'x/8', '10.0.0.0/x', '10.0.0.0/255.0.0.0', '1::2::3/8', '::1.2.3.4/96'],
];

/** A range, and one that may lie strictly within it. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['10.0.0.0/8', '10.0.0.0/8'],
  ['10.0.0.0/8', '10.0.0.0/9'],
  ['10.0.0.0/8', '10.128.0.0/9'],
  ['10.0.0.0/8', '11.0.0.0/9'],
  ['10.0.0.0/8', '10.0.0.0/7'],
  ['10.1.2.3/8', '10.9.9.9/24'],
  ['0.0.0.0/0', '1.2.3.4/32'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['1.2.3.4/32', '1.2.3.4/32'],
  ['::/0', 'fe80::/10'],
  ['::/0', '10.0.0.0/8'],
  ['10.0.0.0/8', '::/0'],
  ['10.0.0.0/8', '::ffff:10.0.0.0/112'],
  ['10.0.0.0/8', '::ffff:10.1.0.0/16'],
  ['::ffff:10.0.0.0/104', '10.1.0.0/16'],
  ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
  ['::ffff:10.0.0.0/104', '::ffff:10.1.0.0/112'],
  ['::ffff:10.0.0.0/8', '10.1.0.0/16'],
  ['::/0', '::ffff:10.0.0.0/104'],
  ['2001:db8::/32', '2001:db8:1::/48'],
  ['2001:db8::/32', '2001:db9::/48'],
  ['fe80::/10', 'fe80::/10'],
];

const LETTERS = [...'0123456789abcdefF:.:./%gx '];

/** A text like `text`: a character more, less, or another. */
function mutated(text: string): string {
  const at = chance.below(text.length + 1);
  const letter = chance.pick(LETTERS);
  const gone = chance.below(2);
  return text.slice(0, at) + (chance.often(0.6) ? letter : '') + text.slice(at + gone);
}

/** Many texts like these; each once. */
function grown(texts: readonly string[], count: number): readonly string[] {
  const known = [...texts];
  while (known.length < count) known.push(mutated(chance.pick(known)));
  return [...new Set(known)];
}

const SLICES = `/apis/${apiVersionIn('kubernetes', 'discovery.platform.io/v1')}/namespaces/${NAMESPACE}/endpointslices?dryRun=All`;
const POLICIES = `/apis/${apiVersionIn('kubernetes', 'networking.platform.io/v1')}/namespaces/${NAMESPACE}/networkpolicies?dryRun=All`;
const dryRun = (path: string, body: Json): Promise<Reply> => call('POST', path, 'application/json', body);
const metadata = { name: 'recorded' };

/** Per text the number of each of its errors' messages. */
function messages(reply: Reply, at: RegExp): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const [field, , message] of causesOf(reply)) {
    const index = Number(at.exec(field)?.[1]);
    found.set(index, [...(found.get(index) ?? []), message]);
  }
  return found;
}

const CLASSES: readonly (readonly [words: string, name: string])[] = [
  ['unspecified', 'unspecified'],
  ['the loopback range', 'loopback'],
  ['the link-local range', 'link-local'],
  ['the link-local multicast range', 'link-local multicast'],
];

/** `4`, `6`, `4 loopback` … or `-`. */
async function addressVerdicts(texts: readonly string[]): Promise<readonly string[]> {
  const endpoints = texts.map((text) => ({ addresses: [text] }));
  const [four, six] = await Promise.all(
    ['IPv4', 'IPv6'].map(async (addressType) =>
      messages(await dryRun(SLICES, { metadata, addressType, endpoints }), /^endpoints\[(\d+)\]/),
    ),
  );
  return texts.map((_text, index) => {
    const [ofFour, ofSix] = [four?.get(index) ?? [], six?.get(index) ?? []];
    if (ofFour.some((message) => message.endsWith('must be a valid IP address'))) return '-';
    const family = ofFour.some((message) => message.endsWith('must be a valid IPv4 address')) ? '6' : '4';
    const name = CLASSES.find(([words]) => ofSix.some((message) => message.includes(words)))?.[1];
    return name === undefined ? family : `${family} ${name}`;
  });
}

async function rangeVerdicts(texts: readonly string[]): Promise<readonly boolean[]> {
  const from = texts.map((cidr) => ({ ipBlock: { cidr } }));
  const wrong = messages(await dryRun(POLICIES, { metadata, spec: { podSelector: {}, ingress: [{ from }] } }), /\.from\[(\d+)\]/);
  return texts.map((_text, index) => !wrong.has(index));
}

async function pairVerdicts(pairs: readonly (readonly [string, string])[]): Promise<readonly boolean[]> {
  const from = pairs.map(([cidr, except]) => ({ ipBlock: { cidr, except: [except] } }));
  const wrong = messages(await dryRun(POLICIES, { metadata, spec: { podSelector: {}, ingress: [{ from }] } }), /\.from\[(\d+)\]/);
  return pairs.map((_pair, index) => !wrong.has(index));
}

async function main(): Promise<void> {
  await call('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: NAMESPACE } });
  const addresses = grown(ADDRESSES, 800);
  const ranges = grown(RANGES, 250);
  const [ofAddresses, ofRanges, ofPairs] = await Promise.all([addressVerdicts(addresses), rangeVerdicts(ranges), pairVerdicts(PAIRS)]);
  writeRecording(
    'values/addresses',
    addresses.map((text, index) => [text, ofAddresses[index] ?? '']),
  );
  writeRecording(
    'values/ranges',
    ranges.map((text, index) => [text, ofRanges[index] ?? false]),
  );
  writeRecording(
    'values/within',
    PAIRS.map(([outer, inner], index) => [outer, inner, ofPairs[index] ?? false]),
  );
  hangUp();
}

void main();
