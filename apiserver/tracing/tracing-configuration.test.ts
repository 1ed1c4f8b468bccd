/**
 * Valid and invalid tracing configurations: the same as for the reference server, except for configurations that it
 * accepts but cannot use.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigurationError } from '../../shared/configuration/configuration-error';
import { readConfiguration } from '../../shared/configuration/read-configuration';
import { errorCode } from '../../shared/runtime/error-code';
import { readCases } from '../../test/replay/recording';
import { anything, either, nullValue, shape, text } from '../../test/replay/shape';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { parseTraceEndpoint, TRACING_FORMAT } from './tracing-configuration';

const isCase = shape({ title: text, file: anything, error: either(text, nullValue) });

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
      return error.errors.map(({ path: field, reason }) => (field === '' ? reason : `${field}: ${reason}`));
    return [errorCode(error) ?? 'unknown'];
  }
}

const MISSING_KIND = 'kind: apiVersion and kind must be';
const INVALID_ENDPOINT = 'endpoint: must be a host name or an address with a port';

/** Configurations that upstream accepts but cannot use, with the start of the error here. */
const REJECTED_HERE: Readonly<Record<string, string>> = {
  'no kind': MISSING_KIND,
  'no version': MISSING_KIND,
  neither: MISSING_KIND,
  'an empty file': 'must be an object',
  'an unknown member': 'bogus: ',
  'a member twice': 'line 1: key "endpoint" already set in map',
  'a member in other letters': 'Endpoint: ',
  'two documents': '',
  'an endpoint of a path': 'endpoint: must name a host and a port; Unix sockets are not supported',
  'an endpoint with too high a port': INVALID_ENDPOINT,
  'an endpoint with a path': INVALID_ENDPOINT,
  'an endpoint of nothing but a colon': INVALID_ENDPOINT,
};

it.each(readCases('tracing/files', isCase))('$title', async ({ title, file: content, error }) => {
  const faults = await faultsOf(content);
  const expectedError = REJECTED_HERE[title];
  if (expectedError !== undefined) expect(faults.join()).toMatch(expectedError);
  else if (error === null) expect(faults).toEqual([]);
  else expect(faults).not.toEqual([]);
});

it.each([
  ['a negative rate', { samplingRatePerMillion: -1 }, /^samplingRatePerMillion: /],
  ['a rate over one million', { samplingRatePerMillion: 1_000_001 }, /^samplingRatePerMillion: /],
  ['an https endpoint', { endpoint: 'https://127.0.0.1:4317' }, /^endpoint: unsupported scheme: https/],
])('TracingConfiguration with %s is rejected with the path of the field', async (_title, members, expected) => {
  const [fault = ''] = await faultsOf({ apiVersion: 'apiserver.config.platform.io/v1beta1', kind: 'TracingConfiguration', ...members });
  expect(fault).toMatch(expected);
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
])('endpoint %p is parsed as the address %s', (endpoint, address) => {
  expect(parseTraceEndpoint(endpoint)).toEqual({ address });
});
