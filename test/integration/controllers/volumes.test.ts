/**
 * Binding of claims and volumes, and claims of ephemeral volumes, compared with upstream.
 *
 * Deviation: these controllers have no volume plug-ins, upstream's have one that deletes hostPath volumes. Both report
 * that the hostPath volume of the recording cannot be deleted, with different messages.
 */
import { isBody, objectNameOf, textOf, type Json } from '../../replay/json-response';
import { scenarioRecording } from '../../replay/scenarios';
import type { ObservedState } from '../../replay/scenarios/scenario';
import { replayControllers } from '../../support/scenarios/replay-controllers';

/** Upstream's plug-in deletes paths below /tmp only; `/tmp/.+` is part of its message. */
const UPSTREAM_MESSAGE = 'host_path deleter only supports /tmp/.+ but received provided /mnt/volume';
/** The volume with the annotation `pv.kubernetes.io/provisioned-by`, for which a plug-in is looked up by name. */
const PROVISIONED_VOLUME = '$NS-ph';

const deletionFailureOf = (volume: string): string =>
  volume === PROVISIONED_VOLUME
    ? 'no volume plugin matched name: kubernetes.io/host-path'
    : `error getting deleter volume plugin for volume ${JSON.stringify(volume)}: no deletable volume plugin matched`;

/** Replaces upstream's message in the status of volumes and in Events about them. */
const withOwnMessages = (recorded: ObservedState): ObservedState =>
  Object.fromEntries(Object.entries(recorded).map(([collection, items]) => [collection, items.map(withOwnMessage)]));

function withOwnMessage(item: Json): Json {
  const text = JSON.stringify(item);
  if (!text.includes(JSON.stringify(UPSTREAM_MESSAGE))) return item;
  const replaced: Json = JSON.parse(text.replaceAll(JSON.stringify(UPSTREAM_MESSAGE), JSON.stringify(deletionFailureOf(volumeOf(item)))));
  return replaced;
}

/** The name of a volume, or that of the volume of an Event. */
function volumeOf(item: Json): string {
  const involved = isBody(item) ? item['involvedObject'] : undefined;
  const name = isBody(involved) ? textOf(involved['name']) : objectNameOf(item);
  if (name === '') throw new Error(`no volume has the message: ${JSON.stringify(item)}`);
  return name;
}

const RECORDING = 'persistent-volumes';
const deviations = Object.fromEntries(
  scenarioRecording(`controllers/${RECORDING}`).scenarios.flatMap(({ name, steps }) =>
    steps
      .filter(({ state }) => JSON.stringify(state ?? {}).includes(UPSTREAM_MESSAGE))
      .map(({ title }) => [`${name}: ${title}`, withOwnMessages] as const),
  ),
);

describe('the binding of volumes matches the recording', () => replayControllers(RECORDING, { deviations }));

describe('the claims of ephemeral volumes match the recording', () => replayControllers('ephemeral-volumes'));
