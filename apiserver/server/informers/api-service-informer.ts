/** The registrations of other servers in this replica's cache, and whoever looks after them told of what changes about them and their Services. Asks nobody itself. */
import type { Clock } from '../../../shared/runtime/clock';
import { serviceNameOf } from '../../webhook-client/service-resolver';
import { registrationOf, Registrations, type Registration } from '../../aggregation/registration';
import { follow, together, type Following } from '../../cache/sync/follow';
import type { OpenedCache } from '../../cache/sync/options';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resources } from '../../registry/resources';

export interface RegistrationObjectsOptions {
  readonly cache: Pick<OpenedCache, 'watch' | 'whenReady'>;
  readonly resources: Pick<Resources, 'require'>;
  readonly clock: Clock;
  readonly failed: (message: string, error: unknown) => void;
}

export interface RegistrationObjects extends Following {
  readonly registrations: Registrations;
  /** `look` is told which registrations may have to be looked at anew, and first of all that there are. */
  watch(look: (name: string) => void): Following;
}

export function followRegistrations(options: RegistrationObjectsOptions): RegistrationObjects {
  const registrations = new Registrations();
  const asked = new Map<string, string>();
  let tell: (name: string) => void = () => undefined;
  const { stored } = options.resources.require('apiservices.apiregistration.platform.io');
  const following = follow(
    { ...options, stored },
    {
      place(entry) {
        const { key } = entry;
        const registration = registrationOf(key, parseEntry(entry).object);
        registrations.set(key, registration);
        const now = registration === undefined ? undefined : asAsked(registration);
        if (now === undefined) asked.delete(key);
        else if (asked.get(key) !== now) {
          asked.set(key, now);
          tell(key);
        }
      },
      remove(key) {
        asked.delete(key);
        registrations.set(key, undefined);
      },
    },
  );
  return {
    registrations,
    ...following,
    watch(look) {
      tell = look;
      registrations.names().forEach(look);
      return watchServices(registrations, options, look);
    },
  };
}

function watchServices(registrations: Registrations, options: RegistrationObjectsOptions, look: (name: string) => void): Following {
  const lookBehind = (namespace: string, name?: string): void => registrations.behind(namespace, name).forEach(look);
  const storedOf = (resource: string) => options.resources.require(resource).stored;
  return together([
    follow(
      { ...options, stored: storedOf('services') },
      { place: ({ key }) => lookBehind(...placeOf(key)), remove: (key) => lookBehind(...placeOf(key)) },
    ),
    follow(
      { ...options, stored: storedOf('endpointslices.discovery.platform.io') },
      // Of one that has gone nobody knows whose it was.
      { place: (entry) => lookBehind(placeOf(entry.key)[0], serviceNameOf(entry)), remove: (key) => lookBehind(placeOf(key)[0]) },
    ),
  ]);
}

/** What its status says is what has been found, not what there is to find. */
const asAsked = ({ isAvailable: _found, ...asked }: Registration): string => JSON.stringify(asked);

function placeOf(key: string): readonly [namespace: string, name: string] {
  const [namespace = '', name = ''] = key.split('/');
  return [namespace, name];
}
