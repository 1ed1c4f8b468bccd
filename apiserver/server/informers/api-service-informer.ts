/**
 * Keeps the registrations of aggregated API servers up to date from this replica's cache, and reports changes of
 * their APIServices, Services and EndpointSlices. Contacts no server.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { serviceNameOf } from '../../webhook-client/service-resolver';
import { readRegistration, Registrations, type Registration } from '../../aggregation/registrations';
import { followType, combineFollowers, type TypeFollower } from '../../cache/sync/follow-type';
import type { OpenedCache } from '../../cache/sync/cache-options';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resources } from '../../registry/resources';

/** What the informer reads, and how it reports objects that it cannot read. */
export interface ApiServiceInformerOptions {
  readonly cache: Pick<OpenedCache, 'watch' | 'whenReady'>;
  readonly resources: Pick<Resources, 'require'>;
  readonly clock: Clock;
  readonly onFailure: (message: string, error: unknown) => void;
}

/** `registrations` is updated until `stop`. */
export interface ApiServiceInformer extends TypeFollower {
  readonly registrations: Registrations;
  /**
   * Calls `onChange` with the name of each APIService that must be checked, starting with all existing ones. Called
   * once.
   */
  watch(onChange: (name: string) => void): TypeFollower;
}

/** Returns at once; `complete` resolves when the existing objects are in `registrations`. */
export function startApiServiceInformer(options: ApiServiceInformerOptions): ApiServiceInformer {
  const registrations = new Registrations();
  /** The last seen spec of each APIService. */
  const specs = new Map<string, string>();
  let notify: (name: string) => void = () => undefined;
  const { stored } = options.resources.require('apiservices.apiregistration.platform.io');
  const following = followType(
    { ...options, stored },
    {
      upsert(entry) {
        const { key } = entry;
        const registration = readRegistration(key, parseEntry(entry).object);
        registrations.set(key, registration);
        const spec = registration === undefined ? undefined : specText(registration);
        if (spec === undefined) specs.delete(key);
        else if (specs.get(key) !== spec) {
          specs.set(key, spec);
          notify(key);
        }
      },
      remove(key) {
        specs.delete(key);
        registrations.set(key, undefined);
      },
    },
  );
  return {
    registrations,
    ...following,
    watch(onChange) {
      notify = onChange;
      registrations.names().forEach(onChange);
      return watchServices(registrations, options, onChange);
    },
  };
}

function watchServices(registrations: Registrations, options: ApiServiceInformerOptions, onChange: (name: string) => void): TypeFollower {
  const notifyServices = (namespace: string, name?: string): void => registrations.namesOfService(namespace, name).forEach(onChange);
  const notifyService = (key: string): void => {
    const { namespace, name } = splitKey(key);
    notifyServices(namespace, name);
  };
  const storedOf = (resource: string) => options.resources.require(resource).stored;
  return combineFollowers([
    followType({ ...options, stored: storedOf('services') }, { upsert: ({ key }) => notifyService(key), remove: notifyService }),
    followType(
      { ...options, stored: storedOf('endpointslices.discovery.platform.io') },
      // A deletion event does not name the Service, so all Services of the namespace are reported.
      {
        upsert: (entry) => notifyServices(splitKey(entry.key).namespace, serviceNameOf(entry)),
        remove: (key) => notifyServices(splitKey(key).namespace),
      },
    ),
  ]);
}

/** Excludes the status, which is the result of checks and must not trigger another one. */
const specText = ({ isAvailable: _status, ...spec }: Registration): string => JSON.stringify(spec);

function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}
