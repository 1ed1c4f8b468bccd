/**
 * NamespaceAutoProvision: creates the missing namespace of a new object. The server itself creates it, so the user
 * needs no permission for namespaces. The namespace stays when the object is rejected later. A dry run creates none.
 */
import { forbidden, StatusError } from '../../../../shared/api/errors/status';
import { StateChanged } from '../../../registry/admission';
import type { MutatingPlugin } from '../../chain';
import { nameOrGenerateName } from './namespace-lifecycle';

/** Rejects with AlreadyExists when another request created the namespace first. */
export type CreateNamespace = (name: string) => Promise<void>;

/** Creates the plug-in. Its creations restart the attempt, so that the object is admitted with the new namespace. */
export function namespaceAutoProvision(createNamespace: CreateNamespace): MutatingPlugin {
  return {
    name: 'NamespaceAutoProvision',
    handles: (operation) => operation === 'CREATE',
    inspectsObject: () => false,
    mutate(request) {
      const { namespace, namespaceEntry, dryRun, resource } = request;
      if (namespace === '' || namespaceEntry !== undefined || dryRun) return undefined;
      const { group, resource: plural } = resource.row;
      return createThenRetry(createNamespace, namespace, (text) =>
        forbidden({ group, resource: plural }, nameOrGenerateName(request), text),
      );
    },
  };
}

/**
 * Never resolves. Throws StateChanged, which restarts the attempt with the new namespace, or the StatusError that
 * rejects the request.
 */
async function createThenRetry(
  createNamespace: CreateNamespace,
  namespace: string,
  rejection: (text: string) => StatusError,
): Promise<never> {
  try {
    await createNamespace(namespace);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.reason === 'Invalid') throw rejection(error.message);
    // AlreadyExists: another request created the namespace first.
    if (error.reason !== 'AlreadyExists') throw error;
  }
  throw new StateChanged();
}
