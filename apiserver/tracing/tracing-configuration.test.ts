/**
 * Valid and invalid tracing configurations: the same as for upstream's server, except for configurations that it accepts
 * but cannot use.
 */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigurationError } from '../../shared/configuration/configuration-error';
import { readConfiguration } from '../../shared/configuration/read-configuration';
import { errorCode } from '../../shared/runtime/error-code';
import { readCases } from '../../test/replay/recording';
import { anything, either, nullValue, shape, text } from '../../test/replay/shape';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { useFolder } from '../../test/support/use-resource';
import { parseTraceEndpoint, TRACING_FORMAT } from './tracing-configuration';

/** A file, as text or as an object, or null for none; `error` is null when upstream's server started with it. */
const isCase = shape({ title: text, file: anything, error: either(text, nullValue) });

const file = path.join(useFolder('tracing'), 'tracing.yaml');

/** The errors in a configuration file with this content; `null` for no file. */
async function errorsOf(content: unknown): Promise<readonly string[]> {
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

/** The recorded configurations that upstream accepts but cannot use, by title, with a part of the error here. */
const REJECTED_HERE: Readonly<Record<string, string>> = {
  'no kind': MISSING_KIND,
  'no version': MISSING_KIND,
  neither: MISSING_KIND,
  'an empty file': 'must be an object',
  'an unknown member': 'bogus: ',
  'a member twice': 'line 1: key "endpoint" already set in map',
  'a member in other letters': 'Endpoint: ',
  'an endpoint of a path': 'endpoint: must name a host and a port; Unix sockets are not supported',
  'an endpoint with too high a port': INVALID_ENDPOINT,
  'an endpoint with a path': INVALID_ENDPOINT,
  'an endpoint of nothing but a colon': INVALID_ENDPOINT,
};

const cases = readCases('tracing/files', isCase);
const isRejectedHere = ({ title }: { readonly title: string }): boolean => REJECTED_HERE[title] !== undefined;

it.each(cases.filter((recorded) => !isRejectedHere(recorded) && recorded.error === null))(
  'a tracing configuration is accepted, as upstream does: $title',
  async ({ file: content }) => {
    expect(await errorsOf(content)).toEqual([]);
  },
);

it.each(cases.filter((recorded) => !isRejectedHere(recorded) && recorded.error !== null))(
  'a tracing configuration is rejected, as upstream does: $title',
  async ({ file: content }) => {
    expect(await errorsOf(content)).not.toEqual([]);
  },
);

it.each(cases.filter(isRejectedHere))(
  'a tracing configuration is rejected, although upstream accepts it: $title',
  async ({ title, file: content, error }) => {
    expect(error).toBeNull();
    expect((await errorsOf(content)).join()).toContain(REJECTED_HERE[title]);
  },
);

it.each([
  ['a negative rate', { samplingRatePerMillion: -1 }, /^samplingRatePerMillion: /],
  ['a rate over one million', { samplingRatePerMillion: 1_000_001 }, /^samplingRatePerMillion: /],
  ['an https endpoint', { endpoint: 'https://127.0.0.1:4317' }, /^endpoint: unsupported scheme: https/],
])('TracingConfiguration with %s is rejected with the path of the field', async (_title, members, expected) => {
  const [error = ''] = await errorsOf({ apiVersion: 'apiserver.config.platform.io/v1beta1', kind: 'TracingConfiguration', ...members });
  expect(error).toMatch(expected);
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
