/** Registers API servers that run on this machine as extensions of a test server. */
import type { ApiResponse } from './api-call';
import type { Fixture } from './fixture';

/** An API server for the version v1 of `group`, behind the Service `ext` in `namespace`. */
export interface ExtensionAddress {
  readonly group: string;
  readonly namespace: string;
  readonly port: number;
  readonly caBundle: string;
}

/** Creates the APIService of the extension. */
export function registerApiService(api: Fixture, { group, namespace, port, caBundle }: ExtensionAddress): Promise<ApiResponse> {
  const version = { group, version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 };
  const spec = { ...version, service: { namespace, name: 'ext', port }, caBundle };
  return api.create('/apis/apiregistration.platform.io/v1/apiservices', { metadata: { name: `v1.${group}` }, spec });
}

/** Creates the Service `ext`. Its external name is this machine, because endpoints cannot have loopback addresses. */
export const createExternalService = (api: Fixture, namespace: string): Promise<ApiResponse> =>
  api.create(`/api/v1/namespaces/${namespace}/services`, {
    metadata: { name: 'ext' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
