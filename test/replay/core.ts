/**
 * Records what the reference server makes of good and bad ConfigMaps, Secrets, ServiceAccounts, Namespaces, Nodes, Leases and Events:
 *   node deploy/scripts/run.mjs test/replay/core.js
 * The server is to run without the admission plug-in TaintNodesByCondition, which taints new nodes. core-answers.test.ts replays the recordings.
 */
import { EVENTS, NEWER_EVENTS } from './core/events';
import { CONFIG_MAPS, LEASES, NAMESPACES, NODES, SECRETS, SERVICE_ACCOUNTS } from './core/plain';
import { byName, recordKinds } from './record-kinds';

void recordKinds('ns', 'core', byName([CONFIG_MAPS, SECRETS, SERVICE_ACCOUNTS, NAMESPACES, NODES, LEASES, EVENTS, NEWER_EVENTS]));
