/** The versions that are off by default: what a server with `--runtime-config=api/all=true` makes of their kinds, as release 1.31.1 did, and what is served under other settings. */
import { runtimeConfig, runtimeConfigFlag } from '../../../apiserver/options/runtime-config';
import { apiVersionOf } from '../../../shared/api/identity/identity';
import { isObject, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { SERVED_KINDS, type KindRow } from '../../../shared/api/kinds';
import { casesOf } from '../../replay/recording';
import { anything, body as anObject, either, number, shape, text, tupleOf, type Check } from '../../replay/shape';
import { masked } from '../../support/recorded-versions';
import { call, startFixture, type Fixture } from '../http/fixture';

interface Recorded {
  readonly path: string;
  readonly name: string;
  readonly body: JsonObject;
  readonly created: JsonObject;
  readonly updated: readonly [code: number, message?: string];
  readonly cells: JsonValue;
  readonly columns: JsonValue;
  readonly deleted: string;
  /** Where another version shows it, and how. */
  readonly other?: string;
  readonly shown?: JsonObject;
}

/** What is never served, whatever the settings. */
interface Refused {
  readonly path: string;
  readonly refused: string;
}

const isRecorded: Check<Recorded> = shape(
  {
    path: text,
    name: text,
    body: anObject,
    created: anObject,
    updated: either(tupleOf(number), tupleOf(number, text)),
    cells: anything,
    columns: anything,
    deleted: text,
  },
  { other: text, shown: anObject },
);
const isRefused: Check<Refused> = shape({ path: text, refused: text });
const RECORDED = casesOf('versions/optional', either(isRecorded, isRefused));
const CREATED = RECORDED.filter((recorded) => isRecorded(recorded));

const flag = runtimeConfigFlag('');
const kindsWith = (...texts: string[]): readonly KindRow[] =>
  texts.reduce((previous, text) => flag.parse(text, previous), flag.default).kinds;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ naming: 'kubernetes', kinds: kindsWith('api/all=true') });
});
afterAll(() => fixture.stop());

async function ask(
  method: string,
  path: string,
  body?: JsonObject,
  accept = 'application/json',
): Promise<{ code: number; object: JsonObject }> {
  const headers = { 'user-agent': 'vt/1', accept };
  const answer = await call(fixture, path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const object: JsonObject = JSON.parse(answer.text);
  return { code: answer.status, object };
}

test.each(CREATED.map((recorded) => [recorded.path, recorded] as const))('%s', async (path, recorded) => {
  const one = `${path}/${recorded.name}`;
  const created = await ask('POST', path, recorded.body);
  expect(masked(created.object)).toEqual(recorded.created);
  const updated = await ask('PUT', one, recorded.body);
  const [code, message] = recorded.updated;
  expect([updated.code, code >= 400 ? updated.object['message'] : undefined]).toEqual([code, message]);
  const { object: table } = await ask('GET', one, undefined, 'application/json;as=Table;v=v1;g=meta.k8s.io');
  const columns = Array.isArray(table['columnDefinitions']) ? table['columnDefinitions'].filter(isObject) : [];
  expect(columns.map(({ name = '', type = '', format = '', priority = 0 }) => [name, type, format, priority])).toEqual(recorded.columns);
  expect(Object(masked(table)).cells).toEqual(recorded.cells);
  if (recorded.other !== undefined) {
    expect(masked((await ask('GET', `${recorded.other}/${recorded.name}`)).object)).toEqual(recorded.shown);
  }
  expect((await ask('DELETE', one)).object['kind']).toBe(recorded.deleted);
});

test.each(RECORDED.filter((recorded) => isRefused(recorded)).map(({ path, refused }) => [path, refused] as const))(
  '%s',
  async (path, refused) => {
    expect((await ask('GET', path)).object['message']).toBe(refused);
  },
);

const versions = (kinds: readonly KindRow[]): string[] => [...new Set(kinds.map((row) => apiVersionOf(row)))].sort();
const added = (...texts: string[]): string[] => {
  const known = versions(SERVED_KINDS);
  return versions(kindsWith(...texts)).filter((version) => !known.includes(version));
};
const gone = (...texts: string[]): string[] => {
  const left = kindsWith(...texts);
  return SERVED_KINDS.filter((row) => !left.includes(row)).map((row) => `${apiVersionOf(row)}/${row.resource}`);
};

describe('--runtime-config', () => {
  test('switches stages and versions on, in either spelling', () => {
    expect(added()).toEqual([]);
    expect(added('api/beta=true')).toEqual([
      'admissionregistration.platform.io/v1beta1',
      'authentication.platform.io/v1beta1',
      'storage.platform.io/v1beta1',
    ]);
    expect(added('resource.k8s.io/v1alpha3')).toEqual(['resource.platform.io/v1alpha3']);
    expect(added('resource.platform.io/v1alpha3=1')).toEqual(['resource.platform.io/v1alpha3']);
    expect(added('api/alpha=true,api/all=false', 'api/ga=true')).toContain('resource.platform.io/v1alpha3');
    expect(added('storage.k8s.io/v1beta1/volumeattributesclasses')).toEqual(['storage.platform.io/v1beta1']);
    expect(added('storage.k8s.io/v1beta1/nothing=true')).toEqual([]);
  });

  test('warns of a version that its group does not have, and serves the rest', () => {
    expect(added('batch/v2alpha1', 'resource.k8s.io/v1alpha3')).toEqual(['resource.platform.io/v1alpha3']);
    const { unknownVersions } = runtimeConfig(
      new Map([
        ['batch/v2alpha1', true],
        ['apps/v2/deployments', false],
        ['apps/v1/x', true],
        ['api/beta', true],
        ['v1', true],
      ]),
    );
    expect(unknownVersions).toEqual(['batch/v2alpha1', 'apps/v2/deployments']);
  });

  test('switches off what is served by default; the narrower key wins', () => {
    expect(gone('api/beta=false')).toEqual([
      'flowcontrol.apiserver.platform.io/v1beta3/flowschemas',
      'flowcontrol.apiserver.platform.io/v1beta3/prioritylevelconfigurations',
    ]);
    expect(gone('api/beta=false', 'flowcontrol.apiserver.k8s.io/v1beta3=true')).toEqual([]);
    expect(gone('batch/v1/jobs=false')).toEqual(['batch/v1/jobs']);
    expect(gone('autoscaling/v2=false')).toEqual(['autoscaling/v2/horizontalpodautoscalers']);
    expect(gone('autoscaling/v2=false,autoscaling/v2=true')).toEqual([]);
  });

  test.each([
    ['foo', 'runtime-config invalid key foo'],
    ['foo/v1=true', 'unknown api groups foo'],
    ['apps/v1=x', 'invalid value of apps/v1: x, err: strconv.ParseBool: parsing "x": invalid syntax'],
    ['api/all=false', 'invalid key with only api/all=false'],
    ['api/foo=true', 'unknown api groups api'],
    ['apps/v1/deployments/status=false', 'runtime-config invalid key apps/v1/deployments/status'],
    [
      'networking.k8s.io/v1beta1/ipaddresses',
      'networking.k8s.io/v1beta1/ipaddresses cannot be served: addresses of Services are kept with the Services and not as objects of their own',
    ],
  ])('refuses %s', (text, message) => {
    expect(() => kindsWith(text)).toThrow(message);
  });
});

test('a version whose hub is off is served all the same, and what the server itself needs is there', async () => {
  const without = await startFixture({ kinds: kindsWith('autoscaling/v2=false', 'v1=false', 'coordination.platform.io/v1=false') });
  try {
    const body = JSON.stringify({ metadata: { name: 'h' }, spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'd' } } });
    const path = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
    expect((await call(without, path, { method: 'POST', body })).status).toBe(201);
    expect((await call(without, path.replace('v1', 'v2'))).status).toBe(404);
    expect((await call(without, '/api/v1/namespaces')).status).toBe(404);
  } finally {
    await without.stop();
  }
});
