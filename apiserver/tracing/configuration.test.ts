/** Which configurations of tracing are taken and which are refused: as the reference server does, but for what it overlooks. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigurationError } from '../../shared/configuration/configuration-error';
import { readConfiguration } from '../../shared/configuration/read-configuration';
import { errorCode } from '../../shared/runtime/error-code';
import { casesOf } from '../../test/replay/recording';
import { anything, either, nothing, shape, text } from '../../test/replay/shape';
import { ManualClock } from '../../test/support/manual-clock';
import { receiverOf, TRACING_FORMAT } from './configuration';

const isCase = shape({ title: text, file: anything, error: either(text, nothing) });

const folder = mkdtempSync(path.join(tmpdir(), 'tracing-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = path.join(folder, 'tracing.yaml');

async function faultsOf(content: unknown): Promise<readonly string[]> {
  if (content === null) rmSync(file, { force: true });
  else writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  try {
    await readConfiguration(file, [TRACING_FORMAT], new ManualClock());
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError)
      return error.faults.map(({ path: place, reason }) => (place === '' ? reason : `${place}: ${reason}`));
    return [errorCode(error) ?? 'unknown'];
  }
}

const UNNAMED = 'kind: apiVersion and kind must name';
const NO_PLACE = 'endpoint: must be the name or address of a host and a port';

/** What upstream takes and never can use, with the beginning of our refusal. */
const REFUSED_HERE: Readonly<Record<string, string>> = {
  'no kind': UNNAMED,
  'no version': UNNAMED,
  neither: UNNAMED,
  'an empty file': 'must be an object',
  'an unknown member': 'bogus: ',
  'a member twice': 'line 1: key "endpoint" already set in map',
  'a member in other letters': 'Endpoint: ',
  'two documents': '',
  'an endpoint of a path': 'endpoint: must name a host and a port; sockets of this machine are not supported',
  'an endpoint with too high a port': NO_PLACE,
  'an endpoint with a path': NO_PLACE,
  'an endpoint of nothing but a colon': NO_PLACE,
};

it.each(casesOf('tracing/files', isCase))('$title', async ({ title, file: content, error }) => {
  const faults = await faultsOf(content);
  const here = REFUSED_HERE[title];
  if (here !== undefined) expect(faults.join()).toMatch(here);
  else if (error === null) expect(faults).toEqual([]);
  else expect(faults).not.toEqual([]);
});

it.each([
  ['a negative rate', { samplingRatePerMillion: -1 }, /^samplingRatePerMillion: /],
  ['a rate over one million', { samplingRatePerMillion: 1_000_001 }, /^samplingRatePerMillion: /],
  ['an https endpoint', { endpoint: 'https://127.0.0.1:4317' }, /^endpoint: unsupported scheme: https/],
])('TracingConfiguration with %s is rejected with the path of the field', async (_title, members, told) => {
  const [fault = ''] = await faultsOf({ apiVersion: 'apiserver.config.platform.io/v1beta1', kind: 'TracingConfiguration', ...members });
  expect(fault).toMatch(told);
});

it.each([
  [undefined, 'localhost:4317'],
  ['', 'localhost:4317'],
  ['collector', 'collector:4317'],
  ['collector:80', 'collector:80'],
  ['127.0.0.1:17109', '127.0.0.1:17109'],
  ['[::1]:17109', '[::1]:17109'],
  ['dns:///collector:1', 'collector:1'],
  ['dns://collector:1', 'collector:1'],
])('the endpoint %p resolves to the receiver %s', (endpoint, address) => {
  expect(receiverOf(endpoint)).toEqual({ address });
});
