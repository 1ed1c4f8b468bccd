/** The subjects of the part `growth`, in the order in which they are measured. */
import { deployments, services } from './controller-subjects';
import { definitions, namespaces, objects, roles } from './stored-subjects';
import type { Subject } from './subject';
import { watches } from './watch-subject';

export const SUBJECTS: readonly Subject[] = [objects, watches, namespaces, definitions, roles, deployments, services];
