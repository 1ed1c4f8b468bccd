/** The priority classes that every cluster has are not deleted. */
import { forbidden } from '../../shared/api/errors/status';
import { SYSTEM_PRIORITY_CLASSES } from '../kinds/scheduling/priority-class';
import type { ValidatingPlugin } from './chain';

export function systemPriorities(): ValidatingPlugin {
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
