/** OpenAPI and discovery documents of an extension API server, as part of those of the API server. */
import { waitUntil } from '../../support/programs';
import { EXTENSION_GROUP, type ExtensionBehaviour } from '../../support/servers/extension-server';
import { API_SERVICE, EXTENSION_ROOT, useAggregatedServer } from './aggregated-server';

/** The path of the resource in the OpenAPI document of the extension. */
const FLUNDERS_PATH = `${EXTENSION_ROOT}/flunders`;

const aggregated = useAggregatedServer();
const { api, extension } = aggregated;
beforeAll(() => aggregated.makeAvailable());

/** Sets the behaviour of the extension, and lets the API server notice it. */
async function changeBehaviour(behaviour: ExtensionBehaviour): Promise<void> {
  extension().setBehaviour(behaviour);
  await aggregated.triggerCheck();
}

describe('the OpenAPI document of version 2', () => {
  const readDocument = async (): Promise<{ readonly paths: object; readonly definitions: Readonly<Record<string, unknown>> }> =>
    Object(await api.read('/openapi/v2'));

  /** Publishes a document in which the kind Flunder has these properties. */
  function publishDocument(properties: object, etag: string): void {
    const schema = { $ref: '#/definitions/Flunder' };
    extension().publishOpenApi(
      {
        swagger: '2.0',
        paths: {
          [FLUNDERS_PATH]: { get: { responses: { 200: { schema } } } },
          '/own': { get: {} },
        },
        definitions: { Flunder: { type: 'object', properties } },
      },
      etag,
    );
  }

  /** Waits until the document of the API server has the path, and these properties of the kind Flunder. */
  async function waitForProperties(properties: object): Promise<void> {
    const expected = JSON.stringify({ type: 'object', properties });
    await aggregated.triggerCheck();
    await waitUntil(`the properties ${JSON.stringify(properties)}`, async () => {
      const { definitions, paths } = await readDocument();
      return JSON.stringify(definitions['Flunder']) === expected && FLUNDERS_PATH in paths;
    });
  }

  const SPEC = { spec: { type: 'string' } };

  test('has the paths of the group, and no others of the extension', async () => {
    publishDocument({}, '"1"');
    await waitForProperties({});
    expect((await readDocument()).paths).not.toHaveProperty('/own');
  });

  test('follows a changed document, which is requested by its ETag as the user system:aggregator', async () => {
    extension().calls.length = 0;
    publishDocument(SPEC, '"2"');
    await waitForProperties(SPEC);
    const documentCall = extension().calls.find(({ line }) => line === 'GET /openapi/v2');
    expect(documentCall?.headers).toContainEqual(['x-remote-user', 'system:aggregator']);
    expect(documentCall?.headers).toContainEqual(['if-none-match', '"1"']);
    expect(documentCall?.headers).not.toContainEqual(['x-remote-group', expect.anything()]);
  });

  test.each(['forbid', 'invalid-json', 'endless'] as const)(
    'keeps the last document of an extension with the behaviour "%s"',
    async (behaviour) => {
      await changeBehaviour(behaviour);
      // With `forbid` the check of availability fails already, so that the document is not requested.
      await waitUntil('a request to the extension', () => extension().calls.length > 0);
      await waitForProperties(SPEC);
      await changeBehaviour('normal');
      await aggregated.waitForAvailability('Passed');
    },
  );

  test('is available in protobuf', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    expect((await api.get('/openapi/v2', { accept })).text).toContain(FLUNDERS_PATH);
  });

  test('loses the paths of a deleted APIService', async () => {
    await api.delete(API_SERVICE);
    await waitUntil('the paths to be removed', async () => !(FLUNDERS_PATH in (await readDocument()).paths));
    await aggregated.register();
    await aggregated.waitForAvailability('Passed');
  });
});

test('the OpenAPI documents of version 3 include that of the extension', async () => {
  const url = `/openapi/v3${EXTENSION_ROOT}?hash=ABC`;
  expect(await api.read('/openapi/v3')).toMatchObject({ paths: { [EXTENSION_ROOT.slice(1)]: { serverRelativeURL: url } } });
  extension().calls.length = 0;
  expect(await api.read(url)).toMatchObject({ info: { title: 'wardle' } });
  const documentCall = extension().calls.find(({ line }) => line === `GET ${url}`);
  expect(documentCall?.headers).toContainEqual(['x-remote-user', 'system:aggregator']);
});

describe('discovery', () => {
  interface AggregatedGroup {
    readonly metadata: { readonly name: string };
    readonly versions: readonly { readonly resources?: readonly object[] }[];
  }

  /** The version of the extension's group in the aggregated document. */
  async function aggregatedVersion(): Promise<AggregatedGroup['versions'][number] | undefined> {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const { items }: { readonly items: readonly AggregatedGroup[] } = Object(await api.read('/apis', { accept }));
    return items.find(({ metadata }) => metadata.name === EXTENSION_GROUP)?.versions[0];
  }

  test('lists the group once, under its own name', async () => {
    const { groups }: { readonly groups: readonly { readonly name: string }[] } = Object(await api.read('/apis'));
    expect(groups.map(({ name }) => name).filter((name) => name.includes('wardle'))).toEqual([EXTENSION_GROUP]);
  });

  test('has a document of the group and one of its version', async () => {
    const versions = [{ groupVersion: `${EXTENSION_GROUP}/v1`, version: 'v1' }];
    expect(await api.read(`/apis/${EXTENSION_GROUP}`)).toMatchObject({ kind: 'APIGroup', name: EXTENSION_GROUP, versions });
    expect(await api.read(EXTENSION_ROOT)).toMatchObject({ kind: 'APIResourceList' });
  });

  test('has the resources of the group in the aggregated document', async () => {
    const responseKind = { group: EXTENSION_GROUP, version: 'v1', kind: 'Flunder' };
    expect(await aggregatedVersion()).toEqual({
      version: 'v1',
      freshness: 'Current',
      resources: [
        {
          resource: 'flunders',
          responseKind,
          scope: 'Namespaced',
          singularResource: 'flunder',
          verbs: ['get', 'list', 'watch', 'create'],
          shortNames: ['fl'],
          subresources: [{ subresource: 'status', responseKind, verbs: ['get'] }],
        },
      ],
    });
  });

  test.each(['invalid-json', 'endless'] as const)(
    'has no resources of an extension whose discovery document is "%s"',
    async (behaviour) => {
      await changeBehaviour(behaviour);
      await waitUntil('the discovery of the group to fail', async () => (await aggregatedVersion())?.resources?.length === 0);
      await changeBehaviour('normal');
      await waitUntil('the next discovery of the group', async () => (await aggregatedVersion())?.resources?.length === 1);
    },
  );
});
