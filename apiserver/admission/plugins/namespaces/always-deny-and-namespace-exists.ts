/**
 * Plug-ins without configuration: AlwaysDeny, and NamespaceExists, which requires the namespace of an object to exist.
 */
import { forbidden, notFound } from '../../../../shared/api/errors/status';
import type { MutatingPlugin } from '../../chain';
import { NAMESPACES_RESOURCE, nameOrGenerateName } from './namespace-lifecycle';

/** Runs with the mutating plug-ins, so that it rejects before the kind is validated. */
export function alwaysDeny(): MutatingPlugin {
  return {
    name: 'AlwaysDeny',
    handles: () => true,
    inspectsObject: () => false,
    mutate(request) {
      const { group, resource } = request.resource.row;
      throw forbidden({ group, resource }, nameOrGenerateName(request), 'admission control is denying all modifications');
    },
  };
}

/**
 * Handles updates and deletions as well, unlike NamespaceLifecycle, and makes no exception for
 * LocalSubjectAccessReviews.
 */
export function namespaceExists(): MutatingPlugin {
  return {
    name: 'NamespaceExists',
    handles: (operation) => operation !== 'CONNECT',
    inspectsObject: () => false,
    mutate({ namespace, namespaceEntry, resource: { row } }) {
      const isNamespace = row.group === '' && row.resource === 'namespaces';
      if (namespace === '' || isNamespace || namespaceEntry !== undefined) return undefined;
      throw notFound(NAMESPACES_RESOURCE, namespace);
    },
  };
}
