/** The metrics of the same requests as the reference server's: which there are, and which series grow. */
import { gunzipSync } from 'node:zlib';
import { AS_THE_TABLE_SAYS } from '../../../apiserver/admission/switches';
import { parseServiceRanges } from '../../../apiserver/allocation/ranges';
import { featureGates } from '../../../shared/runtime/feature-gates';
import { growth, readExposition, type Exposition } from '../../support/exposition';
import { grownBy, isAskedFor } from '../../replay/metric-growth';
import { METRIC_STEPS } from '../../replay/metric-steps';
import { EMPTY, isDeviation, MISSING, SERIES, UNCOUNTED } from '../../support/metric-deviations';
import { casesOf } from '../../replay/recording';
import { listOf, number, shape, text, tupleOf } from '../../replay/shape';
import { type Fixture, issuingAccounts, startFixture } from './fixture';

const RECORDED = casesOf('metrics/steps', shape({ step: text, code: number, grown: listOf(tupleOf(text, number)) }));
const FAMILY = shape({ name: text, type: text, stability: text, labels: listOf(text), buckets: listOf(number) });

let api: Fixture;
const grown = new Map<string, readonly (readonly [string, number])[]>();
const codes = new Map<string, number>();
let last: Exposition;

async function look(): Promise<Exposition> {
  return readExposition((await api.get('/metrics')).text);
}

async function growsAnyhow(): Promise<readonly string[]> {
  return [...growth(await look(), await look()).keys()];
}

beforeAll(async () => {
  const ranges = parseServiceRanges('10.96.0.0/16');
  if (typeof ranges === 'string') throw new Error(ranges);
  api = await startFixture({
    naming: 'kubernetes',
    plugins: AS_THE_TABLE_SAYS,
    gates: featureGates(new Map()),
    serviceRanges: ranges,
    serviceAccounts: issuingAccounts(),
  });
  await api.settled();
  let anyhow = await growsAnyhow();
  while (anyhow.some((series) => isAskedFor(series) && series.includes('CREATE'))) anyhow = await growsAnyhow();
  let before = await look();
  for (const step of METRIC_STEPS) {
    codes.set(step.name, (await api.callStep(step, { 'user-agent': 'recorder' })).status);
    if (step.name === 'a definition') await api.served('/apis/counted.example.com/v1/things');
    last = await look();
    grown.set(step.name, grownBy(before, last, new Set(anyhow)));
    before = last;
  }
});

afterAll(() => api.stop());

const REFUSED_FROM = 400;

/** What is refused is asked again on a proven state, so that plug-ins may be asked twice. */
/** A server renews its own Lease whenever it is time to. */
const OF_LEASES = /_events_received_total\{resource="leases\./;

function comparable(code: number, all: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] {
  return all
    .filter(([series]) => isAskedFor(series) && !isDeviation(series) && !OF_LEASES.test(series))
    .map(([series, by]) => [series, code >= REFUSED_FROM ? Math.min(by, 1) : by]);
}

test.each(RECORDED.map((recorded) => [recorded.step, recorded] as const))('%s', (step, recorded) => {
  expect(codes.get(step)).toBe(recorded.code);
  if (!UNCOUNTED.has(step)) expect(comparable(recorded.code, grown.get(step) ?? [])).toEqual(comparable(recorded.code, recorded.grown));
});

const missing = new Set(MISSING.flatMap(({ names }) => names));
const families = casesOf('metrics/families', FAMILY);

test.each(families.filter(({ name }) => !missing.has(name)).map((family) => [family.name, family] as const))('%s', (name, family) => {
  expect(last.families.get(name)).toEqual(EMPTY.has(name) ? { ...family, labels: [] } : family);
});

it('misses nothing that upstream promises, and what it says to miss', () => {
  const names = new Map(families.map(({ name, stability }) => [name, stability]));
  const promised = [...missing].filter((name) => names.get(name) === 'STABLE' || names.get(name) === 'BETA');
  expect(promised).toEqual([]);
  expect([...missing].filter((name) => !names.has(name) || last.families.has(name))).toEqual([]);
});

it('leaves out of the comparison only what is there', () => {
  const all = [...RECORDED.flatMap(({ grown: recorded }) => recorded), ...[...grown.values()].flat()].map(([series]) => series);
  expect(SERIES.filter(({ series }) => !all.some((one) => series.test(one)))).toEqual([]);
});

it('shows apart what service levels are counted by', async () => {
  const { families: shown } = readExposition((await api.get('/metrics/slis')).text);
  expect([...shown.values()]).toEqual(
    casesOf('metrics/slis', FAMILY).map((family) => ({ ...family, stability: shown.get(family.name)?.stability })),
  );
});

it('shows no series twice', async () => {
  const lines = (await api.get('/metrics')).text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const series = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
  expect(series.length).toBe(new Set(series).size);
});

it('compresses them for whoever takes that', async () => {
  const packed = await api.get('/metrics', { headers: { 'accept-encoding': 'gzip' } });
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  expect(readExposition(gunzipSync(packed.body).toString()).families.size).toBe(last.families.size);
});
