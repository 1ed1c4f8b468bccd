/** Binding of claims and volumes, and claims of ephemeral volumes, compared with upstream. */
import type { ObservedState } from '../../replay/scenarios/scenario';
import { replayControllers } from '../../support/scenarios/replay-controllers';

/** What the deletion of a hostPath volume reports: upstream has a plug-in for it, which deletes below /tmp only. */
const RECORDED = 'host_path deleter only supports /tmp/.+ but received provided /mnt/volume';
const PROVISIONED = '$NS-ph';
const failureOf = (volume: string): string =>
  volume === PROVISIONED
    ? 'no volume plugin matched name: kubernetes.io/host-path'
    : `error getting deleter volume plugin for volume ${JSON.stringify(volume)}: no deletable volume plugin matched`;

/** Replaces the message of the plug-in in the status of volumes and in Events about them. */
function withoutPlugin(recorded: ObservedState): ObservedState {
  return Object.fromEntries(
    Object.entries(recorded).map(([path, items]) => [path, items.map((item) => JSON.parse(withOwnMessage(JSON.stringify(item))))]),
  );
}

/** The first name in an Event or a volume with the message is that of the volume. */
function withOwnMessage(item: string): string {
  const [, volume = ''] = /"name":"(\$NS-[a-z]+)"/.exec(item) ?? [];
  return item.replaceAll(JSON.stringify(RECORDED), JSON.stringify(failureOf(volume)));
}

const STEPS_AFTER_DELETION = [
  'their claims are deleted',
  'the policy of a failed volume is changed to Retain',
  'a released volume gets the policy Delete',
  'a failed volume loses its claimRef',
  'a failed volume loses the uid in its claimRef',
  'a claim is created again',
  'volumes whose provisioner has no plug-in: prepared',
  'volumes whose provisioner has no plug-in',
  'their claims are deleted too',
  'a volume with the policy Delete gets another',
];

describe('the binding of volumes matches the recording', () =>
  replayControllers('persistent-volumes', {
    deviations: Object.fromEntries(STEPS_AFTER_DELETION.map((title) => [`pv-reclaim: ${title}`, withoutPlugin])),
  }));

describe('the claims of ephemeral volumes match the recording', () => replayControllers('ephemeral-volumes'));
