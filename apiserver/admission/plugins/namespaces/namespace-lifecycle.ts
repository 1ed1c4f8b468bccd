/**
 * NamespaceLifecycle: rejects new objects in a namespace that does not exist or is terminating, and the deletion of
 * system namespaces.
 */
import { groupResourceText } from '../../../../shared/api/identity/identity';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { forbidden, notFound } from '../../../../shared/api/errors/status';
import type { GeneratedNames } from '../../../../shared/names/dialect';
import type { AdmissionRequest } from '../../../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from '../../chain';

/** Names the resource in errors. */
export const NAMESPACES_RESOURCE = { group: '', resource: 'namespaces' };

/** Runs with the mutating plug-ins, so that it rejects before the kind is validated (upstream behaviour). */
export function namespaceLifecycle(): MutatingPlugin {
  return {
    name: 'NamespaceLifecycle',
    handles: (operation) => operation === 'CREATE',
    inspectsObject: () => false,
    mutate(request) {
      const { namespace, namespaceEntry } = request;
      if (namespace === '' || isLocalAccessReview(request)) return undefined;
      if (namespaceEntry === undefined) throw notFound(NAMESPACES_RESOURCE, namespace);
      if (namespaceEntry.fields['status.phase'] !== 'Terminating') return undefined;
      const { group, resource } = request.resource.row;
      const text = `unable to create new content in namespace ${namespace} because it is being terminated`;
      throw forbidden({ group, resource }, nameOrGenerateName(request), text, [
        { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' },
      ]);
    },
  };
}

/** A LocalSubjectAccessReview names a namespace, but is not an object in it. */
function isLocalAccessReview({ resource }: AdmissionRequest): boolean {
  return groupResourceText(resource.row) === 'localsubjectaccessreviews.authorization.platform.io';
}

/** The name; else `generateName`; else `Unknown`. */
export function nameOrGenerateName(request: AdmissionRequest): string {
  if (request.name !== '') return request.name;
  const { generateName: prefix = '' } = readMetadata(request.object ?? {});
  return prefix === '' ? 'Unknown' : prefix;
}

/** Rejects the deletion of the default and system namespaces. */
export function protectSystemNamespaces(names: GeneratedNames): ValidatingPlugin {
  const immortalNamespaces: ReadonlySet<string> = new Set(['default', names.systemNamespace, names.publicNamespace]);
  return {
    name: 'NamespaceLifecycle',
    handles: (operation) => operation === 'DELETE',
    inspectsObject: () => false,
    validate(request) {
      const { group, resource } = request.resource.row;
      if (group === '' && resource === 'namespaces' && immortalNamespaces.has(request.name)) {
        throw forbidden(NAMESPACES_RESOURCE, request.name, 'this namespace may not be deleted');
      }
      return undefined;
    },
  };
}
