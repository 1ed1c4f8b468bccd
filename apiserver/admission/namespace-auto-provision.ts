/**
 * Whoever creates an object in a namespace that does not exist makes the namespace as well, in the name of the server: he needs no permission for it, and it stays when the
 * object is refused afterwards. A dry run makes none.
 */
import { forbidden, StatusError } from '../../shared/api/errors/status';
import { StateChanged } from '../registry/admission';
import type { MutatingPlugin } from './chain';
import { nameInMessages } from './namespace-lifecycle';

/** Rejects with AlreadyExists where somebody was faster. */
export type MakeNamespace = (name: string) => Promise<void>;

export function namespaceAutoProvision(make: MakeNamespace): MutatingPlugin {
  return {
    name: 'NamespaceAutoProvision',
    handles: (operation) => operation === 'CREATE',
    inspectsObject: () => false,
    mutate(request) {
      const { namespace, namespaceEntry, dryRun, resource } = request;
      if (namespace === '' || namespaceEntry !== undefined || dryRun) return undefined;
      const { group, resource: plural } = resource.row;
      return provide(make, namespace, (text) => forbidden({ group, resource: plural }, nameInMessages(request), text));
    },
  };
}

async function provide(make: MakeNamespace, namespace: string, refusal: (text: string) => StatusError): Promise<never> {
  try {
    await make(namespace);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.reason === 'Invalid') throw refusal(error.message);
    if (error.reason !== 'AlreadyExists') throw error;
  }
  throw new StateChanged();
}
