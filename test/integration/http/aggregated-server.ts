/**
 * An API server and an extension API server for the group `wardle.example.com`, which the API server reaches through
 * the APIService `v1.wardle.example.com` and the Service `ext` in the namespace `agg`. Tests register the extension,
 * change its behaviour, and wait for the condition Available of its APIService.
 */
import { EXTENSION_GROUP, startExtensionServer, type ExtensionCall, type ExtensionServer } from '../../support/servers/extension-server';
import { waitUntil } from '../../support/programs';
import { useClosable } from '../../support/use-resource';
import { createExternalService, registerApiService } from './aggregation-setup';
import type { ApiResponse } from './api-call';
import { requireSuccess, useServer, type Fixture } from './fixture';
import { issueClientCertificate, tlsPairOf } from './issue-certificates';

/** The path of the APIService. */
export const API_SERVICE = `/apis/apiregistration.platform.io/v1/apiservices/v1.${EXTENSION_GROUP}`;
/** The paths that the API server forwards to the extension. */
export const EXTENSION_ROOT = `/apis/${EXTENSION_GROUP}/v1`;
export const FLUNDERS = `${EXTENSION_ROOT}/namespaces/default/flunders`;

/** The users as which the API server itself reads discovery and OpenAPI documents. */
const API_SERVER_USERS: ReadonlySet<string> = new Set(['system:kube-aggregator', 'system:aggregator']);

/** The values of a header that may be repeated, in their order. */
export const headerValues = ({ headers }: ExtensionCall, name: string): readonly string[] =>
  headers.filter(([header]) => header === name).map(([, value]) => value);

type Condition = Readonly<Record<string, unknown>>;

export class AggregatedServer {
  constructor(
    readonly api: Fixture,
    readonly extension: () => ExtensionServer,
  ) {}

  /** Creates the APIService. */
  register(): Promise<ApiResponse> {
    const { port, caBundle } = this.extension();
    return registerApiService(this.api, { group: EXTENSION_GROUP, namespace: 'agg', port, caBundle });
  }

  /** Creates the namespace, the Service and the APIService, and waits until the API server forwards requests. */
  async makeAvailable(): Promise<void> {
    await this.api.create('/api/v1/namespaces', { metadata: { name: 'agg' } });
    await createExternalService(this.api, 'agg');
    await this.register();
    await this.waitForAvailability('Passed');
  }

  /** Waits until the condition Available of the APIService has the reason, and returns the condition. */
  waitForAvailability(reason: string): Promise<Condition> {
    return waitUntil(`the reason ${reason}`, async () => {
      const { status } = await this.api.read(API_SERVICE);
      const condition: Condition = Object(status).conditions?.[0] ?? {};
      return condition['reason'] === reason && condition;
    });
  }

  async patchApiService(spec: object): Promise<void> {
    requireSuccess(await this.api.mergePatch(API_SERVICE, { spec }));
  }

  /** Changes the priority of the APIService, so that the API server checks its availability and reads its documents at once. */
  async triggerCheck(): Promise<void> {
    const { versionPriority } = Object((await this.api.read(API_SERVICE))['spec']);
    await this.patchApiService({ versionPriority: versionPriority === 20 ? 21 : 20 });
  }

  /** The calls that the extension received from clients: without those for discovery and OpenAPI, which may happen at any time. */
  forwardedCalls(): readonly ExtensionCall[] {
    return this.extension().calls.filter((call) => !headerValues(call, 'x-remote-user').some((user) => API_SERVER_USERS.has(user)));
  }
}

/** Starts both servers before the tests of a file. The recorded calls of the extension are cleared before each test. */
export function useAggregatedServer(): AggregatedServer {
  // The server reads these options for each request to the extension; they are complete once its authority exists.
  const proxyCredentials: { cert?: Buffer; key?: Buffer } = {};
  const api = useServer({ proxyCredentials: () => proxyCredentials });
  const extension = useClosable(async () => {
    Object.assign(proxyCredentials, tlsPairOf(await issueClientCertificate(api.authority, 'front-proxy', [])));
    return startExtensionServer('ext', 'agg');
  });
  beforeEach(() => void extension().calls.splice(0));
  return new AggregatedServer(api, extension);
}
