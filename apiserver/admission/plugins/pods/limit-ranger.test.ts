/** Compares writes of Pods and PersistentVolumeClaims under LimitRanges with release 1.31.1. */
import { StatusError } from '../../../../shared/api/errors/status';
import { arrayAt, isObject, objectAt, type JsonObject } from '../../../../shared/values/json';
import { useForEachTest } from '../../../../test/support/use-resource';
import { readRecording } from '../../../../test/replay/recording';
import { anything, body, number, shape, text, type Check } from '../../../../test/replay/shape';
import { openWriteFixture } from '../../../../test/support/store/write-fixture';

const isJsonObject: Check<JsonObject> = (value): value is JsonObject => typeof value === 'object' && value !== null;
/**
 * `ranges`: items by name of LimitRange. `old`: the object before an update; `body` is then a merge patch. `shown`: what
 * {@link comparedFields} returns for the stored pod, or null for a claim.
 */
const isCase = shape(
  { title: text, ranges: isJsonObject, resource: text, body: isJsonObject, code: number },
  { old: isJsonObject, message: text, shown: anything },
);

const fixture = useForEachTest(() => openWriteFixture({ naming: 'kubernetes' }));

/** The object with the name `x`, unless it has a name. */
const named = (body: JsonObject): JsonObject => ({ ...body, metadata: { name: 'x', ...objectAt(body, 'metadata') } });

/** The annotations of a pod, and the names and resources of its containers. */
function comparedFields({ metadata, spec }: JsonObject): unknown {
  const containers = (member: string): unknown =>
    arrayAt(isObject(spec) ? spec : {}, member)
      ?.filter(isObject)
      .map(({ name, resources }) => ({ name, resources })) ?? null;
  const annotations = isObject(metadata) ? (metadata['annotations'] ?? null) : null;
  return { annotations, initContainers: containers('initContainers'), containers: containers('containers') };
}

describe('LimitRanger', () => {
  it.each(readRecording('admission/limit-ranges', body, isCase).cases.map((recorded) => [recorded.title, recorded] as const))(
    'decides as recorded: %s',
    async (_, { ranges, resource, body, old, code, message, shown: expected }) => {
      if (old !== undefined) {
        await fixture().create(resource, named(old));
        await fixture().cache.catchUp();
      }
      for (const [name, limits] of Object.entries(ranges)) await fixture().create('limitranges', { metadata: { name }, spec: { limits } });
      await fixture().cache.catchUp();
      const sent = old === undefined ? fixture().create(resource, named(body)) : fixture().patch(resource, 'x', 'merge', body);
      const outcome = await sent.then(
        ({ object: stored }) => ({
          code: old === undefined ? 201 : 200,
          shown: resource === 'pods' ? comparedFields(stored) : null,
          message: undefined,
        }),
        (error: unknown) => {
          if (error instanceof StatusError) return { code: error.status.code, message: error.message, shown: undefined };
          throw error;
        },
      );
      expect(outcome).toEqual({ code, message, shown: expected });
    },
  );

  it('applies to pods in the namespace of the LimitRange only', async () => {
    const limits = [{ type: 'Container', max: { cpu: '1' } }];
    await fixture().create('limitranges', { metadata: { name: 'a' }, spec: { limits } });
    await fixture().create('namespaces', { metadata: { name: 'other' } }, { namespace: '' });
    await fixture().cache.catchUp();
    const resources = { requests: { cpu: '5' }, limits: { cpu: '5' } };
    const pod = { metadata: { name: 'x' }, spec: { containers: [{ name: 'c', image: 'i', resources }] } };
    await expect(fixture().create('pods', pod)).rejects.toThrow('maximum cpu usage per Container is 1, but limit is 5');
    await expect(
      fixture().create('pods', { ...pod, metadata: { name: 'x', namespace: 'other' } }, { namespace: 'other' }),
    ).resolves.toBeDefined();
  });
});
