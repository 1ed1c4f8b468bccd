/**
 * Nothing is created in a namespace that does not exist or is going away, and the namespaces that the system lives in are not deleted.
 */
import { groupResourceText } from '../../shared/api/identity/identity';
import { objectAt, stringAt } from '../../shared/values/json';
import { forbidden, notFound } from '../../shared/api/errors/status';
import type { GeneratedNames } from '../../shared/names/dialect';
import type { AdmissionRequest } from '../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from './chain';

export const NAMESPACES = { group: '', resource: 'namespaces' };

/** Runs with the mutating plug-ins, so that its refusal comes before any rule of the kind (upstream behaviour). */
export function namespaceLifecycle(): MutatingPlugin {
  return {
    name: 'NamespaceLifecycle',
    handles: (operation) => operation === 'CREATE',
    inspectsObject: () => false,
    mutate(request) {
      const { namespace, namespaceEntry } = request;
      if (namespace === '' || isReview(request)) return undefined;
      if (namespaceEntry === undefined) throw notFound(NAMESPACES, namespace);
      if (namespaceEntry.fields['status.phase'] !== 'Terminating') return undefined;
      const { group, resource } = request.resource.row;
      const text = `unable to create new content in namespace ${namespace} because it is being terminated`;
      throw forbidden({ group, resource }, nameInMessages(request), text, [
        { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' },
      ]);
    },
  };
}

/** A question about a namespace, not an object in it. */
function isReview({ resource }: AdmissionRequest): boolean {
  return groupResourceText(resource.row) === 'localsubjectaccessreviews.authorization.platform.io';
}

/** The name, or what it will begin with. */
export function nameInMessages(request: AdmissionRequest): string {
  if (request.name !== '') return request.name;
  const prefix = stringAt(objectAt(request.object, 'metadata') ?? {}, 'generateName') ?? '';
  return prefix === '' ? 'Unknown' : prefix;
}

/** The namespaces that may not be deleted. */
export function protectedNamespaces(names: GeneratedNames): ValidatingPlugin {
  const immortal: ReadonlySet<string> = new Set(['default', names.systemNamespace, names.publicNamespace]);
  return {
    name: 'NamespaceLifecycle',
    handles: (operation) => operation === 'DELETE',
    inspectsObject: () => false,
    validate(request) {
      const { group, resource } = request.resource.row;
      if (group === '' && resource === 'namespaces' && immortal.has(request.name)) {
        throw forbidden(NAMESPACES, request.name, 'this namespace may not be deleted');
      }
      return undefined;
    },
  };
}
