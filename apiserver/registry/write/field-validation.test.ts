/** Unknown and duplicate fields under each value of `fieldValidation`, in every kind of patch. */
import { refusalStatus, openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import type { FieldValidation, PatchType } from '../verbs';
import { useForEachTest } from '../../../test/support/use-resource';

interface Case {
  readonly type: PatchType;
  readonly body: string;
  /** The fields that the error with Strict names, in order. */
  readonly strict: readonly string[];
  /** The warnings with Warn, if they differ from `strict`. */
  readonly warnings?: readonly string[];
}

/** Of patches with the duplicate field `data.a` and the unknown fields `bar` and `metadata.foo`. */
const DUPLICATE_AND_UNKNOWN = ['duplicate field "data.a"', 'unknown field "bar"', 'unknown field "metadata.foo"'];
/** The unknown fields of the applied configurations. */
const UNDECLARED = ['.bar: field not declared in schema', '.metadata.foo: field not declared in schema'];

const CASES: Readonly<Record<string, Case>> = {
  'a merge patch': {
    type: 'merge',
    body: '{"data":{"a":"0","a":"1"},"bar":{"x":1},"metadata":{"foo":1}}',
    strict: DUPLICATE_AND_UNKNOWN,
  },
  'a strategic merge patch': {
    type: 'strategic',
    body: '{"data":{"a":"0","a":"1"},"bar":{"x":1},"metadata":{"foo":1}}',
    strict: DUPLICATE_AND_UNKNOWN,
  },
  'a JSON patch': {
    type: 'json',
    body: JSON.stringify([
      { op: 'add', path: '/bar', value: { x: 1 } },
      { op: 'add', path: '/metadata/foo', value: 1, more: true },
      { op: 'add', path: '/data/a', value: '1' },
    ]),
    strict: ['json patch unknown field "[1].more"', 'unknown field "bar"', 'unknown field "metadata.foo"'],
  },
  'an applied configuration': {
    type: 'apply',
    body: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, foo: 1}\ndata:\n  a: "0"\n  a: "1"\nbar: {x: 1}\n',
    strict: [...UNDECLARED, 'line 6: key "a" already set in map'],
    warnings: ['line 6: key "a" already set in map', 'unknown field "bar"', 'unknown field "metadata.foo"'],
  },
  'an applied configuration in JSON': {
    type: 'apply',
    body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","foo":1},"data":{"a":"0","a":"1"},"bar":{"x":1}}',
    strict: [...UNDECLARED, 'line 1: key "a" already set in map'],
    warnings: ['line 1: key "a" already set in map', 'unknown field "bar"', 'unknown field "metadata.foo"'],
  },
};

const fixture = useForEachTest(async () => {
  const opened = await openWriteFixture();
  await opened.create('configmaps', { metadata: { name: 'a' }, data: { k: 'v' } });
  return opened;
});

const patch = (type: PatchType, body: string, fieldValidation: FieldValidation): ReturnType<WriteFixture['patch']> =>
  fixture().patch('configmaps', 'a', type, body, { fieldValidation, force: true });

describe.each(Object.entries(CASES))('%s', (_name, { type, body, strict, warnings = strict }) => {
  it('with Strict is rejected with 400 and a message that names all unknown and duplicate fields', async () => {
    const { code, reason, message } = await refusalStatus(patch(type, body, 'Strict'));
    expect(code).toBe(400);
    // As in release 1.31.1, the rejection of an applied configuration has no reason and a message of its own.
    if (type === 'apply') {
      expect(reason).toBeUndefined();
      expect(message).toBe(`failed to create typed patch object (/a; /v1, Kind=ConfigMap): errors:\n  ${strict.join('\n  ')}`);
    } else {
      expect(reason).toBe('BadRequest');
      expect(message).toBe(`ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${strict.join(', ')}`);
    }
    expect(await fixture().stored('configmaps', 'a')).toMatchObject({ data: { k: 'v' } });
    expect(fixture().warnings).toEqual([]);
  });

  it('with Warn drops unknown fields with a warning for each', async () => {
    await patch(type, body, 'Warn');
    expect([...new Set(fixture().warnings)]).toEqual(warnings);
    expect(await fixture().stored('configmaps', 'a')).toMatchObject({ data: { a: '1', k: 'v' } });
  });

  it('with Ignore drops unknown fields silently', async () => {
    await patch(type, body, 'Ignore');
    expect(fixture().warnings).toEqual([]);
    const stored = await fixture().stored('configmaps', 'a');
    expect(stored).toMatchObject({ data: { a: '1', k: 'v' } });
    expect(JSON.stringify(stored)).not.toMatch(/bar|foo/);
  });
});

describe('an applied configuration', () => {
  const TYPE_META = 'apiVersion: v1\nkind: ConfigMap\n';
  const apply = (text: string, fieldValidation: FieldValidation): Promise<unknown> =>
    patch('apply', `${TYPE_META}metadata: {name: a}\n${text}`, fieldValidation);

  it('creates the object without unknown fields', async () => {
    const config = `${TYPE_META}metadata: {name: b}\ndata: {k: v}\nbar: 1\n`;
    await fixture().patch('configmaps', 'b', 'apply', config, { fieldValidation: 'Warn' });
    expect(fixture().warnings).toEqual(['unknown field "bar"']);
    expect(await fixture().stored('configmaps', 'b')).toMatchObject({ data: { k: 'v' } });
  });

  it('drops unknown fields in nested list items', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: {
        containers: [{ name: 'c', image: 'i', x: 1, env: [{ name: 'A', y: 1 }], resources: { z: {} } }],
        volumes: [{ name: 'v', w: {} }],
      },
    };
    await fixture().patch('pods', 'p', 'apply', pod, { fieldValidation: 'Warn' });
    expect(fixture().warnings).toEqual([
      'unknown field "spec.containers[0].env[0].y"',
      'unknown field "spec.containers[0].resources.z"',
      'unknown field "spec.containers[0].x"',
      'unknown field "spec.volumes[0].w"',
    ]);
    expect(await fixture().stored('pods', 'p')).toMatchObject({ spec: { containers: [{ name: 'c', env: [{ name: 'A' }] }] } });
  });

  it.each(['Strict', 'Warn', 'Ignore'] as const)(
    'with %s is rejected for a field of the wrong type before unknown fields are reported',
    async (validation) => {
      const { code, message } = await refusalStatus(apply('data: {k: 5}\nbar: 1\n', validation));
      expect(code).toBe(400);
      expect(message).toContain('.data.k: expected string');
      expect(message).not.toContain('bar');
      expect(fixture().warnings).toEqual([]);
    },
  );

  it('with Strict is rejected with the message of release 1.31.1 when it has only duplicate fields', async () => {
    const { code, message } = await refusalStatus(apply('data:\n  a: "0"\n  a: "1"\n', 'Strict'));
    expect(code).toBe(400);
    expect(message).toBe(
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 6: key "a" already set in map',
    );
  });

  it('is rejected with at most 100 unknown fields in the message, and has all of them dropped with Ignore', async () => {
    const names = Array.from({ length: 150 }, (_, index) => `x${index}: 1\n`).join('');
    const { message } = await refusalStatus(apply(names, 'Strict'));
    expect(message?.match(/field not declared in schema/g)).toHaveLength(100);
    await apply(`data: {k: v}\n${names}`, 'Ignore');
    expect(Object.keys((await fixture().stored('configmaps', 'a')) ?? {}).sort()).toEqual(['data', 'metadata']);
  });
});

it('a patch of a scale with an unknown field is rejected with 400 when Strict', async () => {
  await fixture().create('replicationcontrollers', {
    metadata: { name: 'r' },
    spec: {
      replicas: 1,
      selector: { a: 'b' },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
  const options = { subresource: 'scale', fieldValidation: 'Strict' } as const;
  const messages = {
    merge: 'Scale in version "v1" cannot be handled as a Scale: strict decoding error: unknown field "spec.x"',
    apply: 'failed to create typed patch object (/r; autoscaling/v1, Kind=Scale): .spec.x: field not declared in schema',
  };
  for (const type of ['merge', 'apply'] as const) {
    const body = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'r' }, spec: { replicas: 2, x: 1 } };
    const { code, message } = await refusalStatus(fixture().patch('replicationcontrollers', 'r', type, body, options));
    expect(code).toBe(400);
    expect(message).toBe(messages[type]);
  }
});
