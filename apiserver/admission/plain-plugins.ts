/** The plug-ins that say the same to everybody: one that refuses all, one that wants to see the namespace. */
import { forbidden, notFound } from '../../shared/api/errors/status';
import type { MutatingPlugin } from './chain';
import { NAMESPACES, nameInMessages } from './namespace-lifecycle';

/** Runs with the mutating plug-ins, as everything that refuses before the rules of a kind are asked. */
export function alwaysDeny(): MutatingPlugin {
  return {
    name: 'AlwaysDeny',
    handles: () => true,
    inspectsObject: () => false,
    mutate(request) {
      const { group, resource } = request.resource.row;
      throw forbidden({ group, resource }, nameInMessages(request), 'admission control is denying all modifications');
    },
  };
}

/** Reviews about a namespace are not let off, as they are by NamespaceLifecycle. */
export function namespaceExists(): MutatingPlugin {
  return {
    name: 'NamespaceExists',
    handles: (operation) => operation !== 'CONNECT',
    inspectsObject: () => false,
    mutate({ namespace, namespaceEntry, resource: { row } }) {
      const isNamespace = row.group === '' && row.resource === 'namespaces';
      if (namespace === '' || isNamespace || namespaceEntry !== undefined) return undefined;
      throw notFound(NAMESPACES, namespace);
    },
  };
}
