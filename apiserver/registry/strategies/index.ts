/** The strategies of the kinds that have rules of their own, by resource and group as they stand in messages. */
import { certificateSigningRequest } from './certificate-signing-request';
import { configMap } from './configmap';
import { daemonSet } from './daemonset';
import { event } from './event';
import { newerEvent } from './newer-event';
import { priorityLevel } from './priority-level';
import { job } from './job';
import { lease } from './lease';
import { namespace } from './namespace';
import { node } from './node';
import { pod } from './pod';
import { secret } from './secret';
import { service } from './service';
import { serviceAccount } from './service-account';
import { persistentVolume, persistentVolumeClaim } from './volume';
import type { Strategy } from './strategy';

export const STRATEGIES: ReadonlyMap<string, Strategy> = new Map<string, Strategy>([
  ['certificatesigningrequests.certificates.platform.io', certificateSigningRequest],
  ['configmaps', configMap],
  ['daemonsets.apps', daemonSet],
  ['events', event],
  ['events.events.platform.io', newerEvent],
  ['jobs.batch', job],
  ['leases.coordination.platform.io', lease],
  ['namespaces', namespace],
  ['nodes', node],
  ['persistentvolumeclaims', persistentVolumeClaim],
  ['persistentvolumes', persistentVolume],
  ['pods', pod],
  ['prioritylevelconfigurations.flowcontrol.apiserver.platform.io', priorityLevel],
  ['secrets', secret],
  ['serviceaccounts', serviceAccount],
  ['services', service],
]);
