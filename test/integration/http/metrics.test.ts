/** The metrics of the same requests as the reference server's: which there are, and which series grow. */
import { gunzipSync } from 'node:zlib';
import { AS_THE_TABLE_SAYS } from '../../../apiserver/admission/switches';
import { parseServiceRanges } from '../../../apiserver/allocation/ranges';
import { featureGates } from '../../../shared/cli/feature-gates';
import { growth, readExposition, type Exposition } from '../../support/exposition';
import { grownBy, isAskedFor } from '../../replay/metric-growth';
import { METRIC_STEPS } from '../../replay/metric-steps';
import { EMPTY, isDeviation, MISSING, SERIES, UNCOUNTED } from '../../support/metric-deviations';
import { useResource } from '../../support/use-resource';
import { casesOf } from '../../replay/recording';
import { listOf, number, shape, text, tupleOf } from '../../replay/shape';
import { issuingAccounts, useServer } from './fixture';

const RECORDED = casesOf('metrics/steps', shape({ step: text, code: number, grown: listOf(tupleOf(text, number)) }));
const FAMILY = shape({ name: text, type: text, stability: text, labels: listOf(text), buckets: listOf(number) });

const ranges = parseServiceRanges('10.96.0.0/16');
if (typeof ranges === 'string') throw new Error(ranges);
const api = useServer({
  naming: 'kubernetes',
  plugins: AS_THE_TABLE_SAYS,
  gates: featureGates(new Map()),
  serviceRanges: ranges,
  serviceAccounts: issuingAccounts(),
});
const look = async (): Promise<Exposition> => readExposition(await api.metrics());
const growsAnyhow = async (): Promise<readonly string[]> => [...growth(await look(), await look()).keys()];

interface Step {
  readonly code: number;
  readonly grown: readonly (readonly [string, number])[];
}

/** The last exposition, and what each step added to it. */
const counted = useResource(async () => {
  await api.settled();
  let anyhow = await growsAnyhow();
  while (anyhow.some((series) => isAskedFor(series) && series.includes('CREATE'))) anyhow = await growsAnyhow();
  const steps = new Map<string, Step>();
  let last = await look();
  for (const step of METRIC_STEPS) {
    const before = last;
    const { status: code } = await api.callStep(step, { 'user-agent': 'recorder' });
    if (step.name === 'a definition') await api.served('/apis/counted.example.com/v1/things');
    last = await look();
    steps.set(step.name, { code, grown: grownBy(before, last, new Set(anyhow)) });
  }
  return { steps, last };
});

/** A rejection is confirmed on a proven state, so that plug-ins may be called twice. */
const REFUSED_FROM = 400;

/** A server renews its own Lease whenever it is time to. */
const OF_LEASES = /_events_received_total\{resource="leases\./;

function comparable(code: number, all: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] {
  return all
    .filter(([series]) => isAskedFor(series) && !isDeviation(series) && !OF_LEASES.test(series))
    .map(([series, by]) => [series, code >= REFUSED_FROM ? Math.min(by, 1) : by]);
}

test.each(RECORDED.map((recorded) => [recorded.step, recorded] as const))('the step "%s" adds to the recorded series', (step, recorded) => {
  const { code, grown = [] } = counted().steps.get(step) ?? {};
  expect(code).toBe(recorded.code);
  if (!UNCOUNTED.has(step)) expect(comparable(recorded.code, grown)).toEqual(comparable(recorded.code, recorded.grown));
});

const missing = new Set(MISSING.flatMap(({ names }) => names));
const families = casesOf('metrics/families', FAMILY);

test.each(families.filter(({ name }) => !missing.has(name)).map((family) => [family.name, family] as const))(
  'the family %s is as recorded',
  (name, family) => {
    expect(counted().last.families.get(name)).toEqual(EMPTY.has(name) ? { ...family, labels: [] } : family);
  },
);

it('the missing families are those of the table of deviations, none of which is stable or beta upstream', () => {
  const names = new Map(families.map(({ name, stability }) => [name, stability]));
  const promised = [...missing].filter((name) => names.get(name) === 'STABLE' || names.get(name) === 'BETA');
  expect(promised).toEqual([]);
  expect([...missing].filter((name) => !names.has(name) || counted().last.families.has(name))).toEqual([]);
});

it('the series that are left out of the comparison exist', () => {
  const all = [...RECORDED.flatMap(({ grown: recorded }) => recorded), ...[...counted().steps.values()].flatMap(({ grown }) => grown)].map(
    ([series]) => series,
  );
  expect(SERIES.filter(({ series }) => !all.some((one) => series.test(one)))).toEqual([]);
});

it('the metrics of service levels are as recorded', async () => {
  const { families: shown } = readExposition((await api.get('/metrics/slis')).text);
  expect([...shown.values()]).toEqual(
    casesOf('metrics/slis', FAMILY).map((family) => ({ ...family, stability: shown.get(family.name)?.stability })),
  );
});

it('no series appears twice', async () => {
  const lines = (await api.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const series = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
  expect(series.length).toBe(new Set(series).size);
});

it('metrics are compressed on request', async () => {
  const packed = await api.get('/metrics', { headers: { 'accept-encoding': 'gzip' } });
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  expect(readExposition(gunzipSync(packed.body).toString()).families.size).toBe(counted().last.families.size);
});
