/**
 * Records what the reference server makes of good and bad roles, bindings, quotas, limit ranges, priority, storage and runtime classes, volumes, claims, drivers of
 * storage and what goes with them, requests for certificates, flow schemas, priority levels and configurations of webhooks:
 *   node deploy/scripts/run.mjs test/replay/governance.js
 * The server is to run without the admission plug-ins PersistentVolumeClaimResize, DefaultStorageClass and Priority, which
 * change or refuse what the rules let pass. governance-answers.test.ts replays the recordings.
 */
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from './governance/access';
import { SIGNING_REQUESTS } from './governance/certificates';
import { FLOW_SCHEMAS, PRIORITY_LEVELS } from './governance/flow-control';
import { LIMIT_RANGES, PRIORITY_CLASSES, RESOURCE_QUOTAS } from './governance/limits';
import { POLICIES, POLICY_BINDINGS } from './governance/policies';
import { ATTACHMENTS, CAPACITIES, DRIVERS, NODES_OF_DRIVERS } from './governance/storage-drivers';
import { CLAIMS, RUNTIME_CLASSES, STORAGE_CLASSES, VOLUMES } from './governance/storage';
import { MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS } from './governance/webhooks';
import { byName, recordKinds } from './record-kinds';

const KINDS = [
  ROLES,
  CLUSTER_ROLES,
  ROLE_BINDINGS,
  CLUSTER_ROLE_BINDINGS,
  RESOURCE_QUOTAS,
  LIMIT_RANGES,
  PRIORITY_CLASSES,
  STORAGE_CLASSES,
  CLAIMS,
  VOLUMES,
  RUNTIME_CLASSES,
  SIGNING_REQUESTS,
  VALIDATING_WEBHOOKS,
  MUTATING_WEBHOOKS,
  FLOW_SCHEMAS,
  PRIORITY_LEVELS,
  POLICIES,
  POLICY_BINDINGS,
  DRIVERS,
  NODES_OF_DRIVERS,
  CAPACITIES,
  ATTACHMENTS,
];

void recordKinds('governance-recordings', 'governance', byName(KINDS));
