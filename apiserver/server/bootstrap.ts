/**
 * What the server itself keeps in order while it runs, in the order in which it begins, and how it ends: allocation keys, system namespaces and priority classes, the default
 * Service with its endpoints, the record of tokens' use, expired objects. Each part lives in registry/bootstrap.
 */
import { systemNamespaces, type GeneratedNames } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/logger';
import type { Random } from '../../shared/runtime/random';
import type { Ledger } from '../allocation/ledger';
import type { OpenedCache } from '../cache/open-cache';
import { repairAllocations } from '../upkeep/allocation-repair';
import { keepApiServices } from '../upkeep/api-services';
import { keepDefaultService, type DefaultService } from '../upkeep/default-service';
import { startEventExpiry } from '../upkeep/event-expiry';
import type { Replicas } from '../upkeep/replicas';
import { keepSystemObjects, type SystemObjects } from '../upkeep/system-objects';
import { keepTokenTracking } from '../upkeep/token-tracking';
import type { Upkeep } from '../upkeep/upkeep';
import type { Writer } from '../registry/verbs';
import type { Definitions } from '../custom-resources/definitions';
import { keepDefinitions } from '../custom-resources/lifecycle';
import type { Resources } from '../registry/resources';
import { SYSTEM_PRIORITY_CLASSES } from '../kinds/scheduling/priority-class';
import type { Store } from '../storage/store';

const RETRY_MS = 1_000;

export interface BootstrapOptions {
  readonly store: Store;
  readonly cache: OpenedCache;
  readonly writer: Writer;
  readonly resources: Resources;
  readonly ledger: Ledger;
  readonly replicas: Replicas;
  readonly definitions: Definitions;
  readonly names: GeneratedNames;
  /** The store's key prefix, without a slash at its end. */
  readonly prefix: string;
  /** Where this server listens, and the address under which others reach it, if any. */
  readonly port: number;
  readonly advertiseAddress: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface Bootstrap {
  /** Resolves once everything that is needed exists. */
  readonly complete: Promise<void>;
  /** The server is going to stop: others are told to look elsewhere. */
  leave(): Promise<void>;
  stop(): void;
}

export function startBootstrap(options: BootstrapOptions): Bootstrap {
  const { store, cache, writer, resources, ledger, replicas, definitions, names, prefix, port, clock, random, logger } = options;
  const failed = (message: string, error: unknown): void => logger.warn(message, { error });
  const services = resources.require('services');
  let namespaces: SystemObjects | undefined;
  let priorities: SystemObjects | undefined;
  let defaultService: DefaultService | undefined;
  let tracking: Upkeep | undefined;
  let lifecycle: Upkeep | undefined;
  let apiServices: Upkeep | undefined;
  let stopped = false;
  const expiry = startEventExpiry({
    store,
    cache,
    types: [...new Set(resources.all.filter(({ row }) => row.expires === true).map(({ stored }) => stored))],
    prefix,
    holder: random.uuid(),
    clock,
    failed,
  });

  async function untilDone(task: () => Promise<void>): Promise<void> {
    while (!stopped) {
      try {
        return await task();
      } catch (error) {
        failed('the store could not be asked at the start, trying again', error);
        await clock.sleep(RETRY_MS);
      }
    }
  }

  async function begin(): Promise<void> {
    await definitions.complete;
    if (stopped) return;
    const found = (message: string, details: Readonly<Record<string, unknown>>): void => logger.warn(message, { ...details });
    await untilDone(() => repairAllocations({ store, cache, ledger, services, prefix, clock, found }));
    const own = { writer, cache, clock, failed };
    const spaces = new Map(systemNamespaces(names).map((name) => [name, {}]));
    namespaces = keepSystemObjects({ ...own, resource: resources.require('namespaces'), objects: spaces });
    await namespaces.complete;
    const classes = resources.require('priorityclasses.scheduling.platform.io');
    priorities = keepSystemObjects({ ...own, resource: classes, objects: SYSTEM_PRIORITY_CLASSES });
    await priorities.complete;
    tracking = keepTokenTracking({ writer, cache, configMaps: resources.require('configmaps'), names, clock, failed });
    const resource = resources.require('customresourcedefinitions.apiextensions.platform.io');
    lifecycle = keepDefinitions({ definitions, resource, cache, writer, clock, failed });
    const registrations = resources.require('apiservices.apiregistration.platform.io');
    apiServices = keepApiServices({ writer, cache, services: registrations, rows: () => resources.rows, names, clock, failed });
    definitions.onChange(() => void apiServices?.look());
    defaultService = keepDefaultService({
      writer,
      cache,
      ledger,
      replicas,
      services,
      endpoints: resources.require('endpoints'),
      slices: resources.require('endpointslices.discovery.platform.io'),
      names,
      port,
      clock,
      failed,
    });
    await defaultService.complete;
    if (options.advertiseAddress !== undefined && !stopped) replicas.join({ ip: options.advertiseAddress, port });
  }

  return {
    complete: begin(),
    leave: () => replicas.leave(),
    stop() {
      stopped = true;
      namespaces?.stop();
      priorities?.stop();
      defaultService?.stop();
      tracking?.stop();
      lifecycle?.stop();
      apiServices?.stop();
      definitions.stop();
      expiry.stop();
    },
  };
}
