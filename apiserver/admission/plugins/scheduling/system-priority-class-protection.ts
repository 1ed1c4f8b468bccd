/** The part of the Priority plug-in that rejects the deletion of a system PriorityClass, whether or not it is stored. */
import { forbidden } from '../../../../shared/api/errors/status';
import { SYSTEM_PRIORITY_CLASSES } from '../../../kinds/scheduling/priority-class';
import type { ValidatingPlugin } from '../../chain';

export function systemPriorityClassProtection(): ValidatingPlugin {
  return {
    name: 'Priority',
    handles: (operation) => operation === 'DELETE',
    inspectsObject: () => false,
    validate({ resource: { row }, name }) {
      const { group, resource } = row;
      if (group === 'scheduling.platform.io' && resource === 'priorityclasses' && SYSTEM_PRIORITY_CLASSES.has(name)) {
        throw forbidden({ group, resource }, name, 'this is a system priority class and cannot be deleted');
      }
      return undefined;
    },
  };
}
