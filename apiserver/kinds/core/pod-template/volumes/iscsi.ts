/** Validates the form of names of iSCSI targets and initiators in the three formats that upstream knows: iqn, eui and naa. */
import { invalidValue } from '../../../../../shared/api/errors/field-error';
import type { Errors } from '../../../rules/checks';

const NAME_FORMATS: readonly { readonly prefix: string; readonly pattern: RegExp }[] = [
  // `iqn.2001-04.com.example:storage.disk1`
  { prefix: 'iqn', pattern: /^iqn\.\d{4}-\d{2}\.[a-z0-9.-]+:[^,;*&$|\s]+$/i },
  // `eui.02004567A425678D`
  { prefix: 'eui', pattern: /^eui\.[0-9A-F]{16}$/i },
  // `naa.62004567BA64678D0123456789ABCDEF`
  { prefix: 'naa', pattern: /^naa\.[0-9A-F]{32}$/i },
];

const MALFORMED = 'must be valid format';

/** Error text for an unknown format: only that for Pods lists the known prefixes (upstream behaviour). */
export const UNKNOWN_ISCSI_NAME = { ofPod: `${MALFORMED} starting with iqn, eui, or naa`, ofVolume: MALFORMED } as const;

/** `unknownFormatText` is one of {@link UNKNOWN_ISCSI_NAME}. */
export function checkIscsiName(name: string, unknownFormatText: string, field: string, errors: Errors): void {
  const format = NAME_FORMATS.find(({ prefix }) => name.startsWith(prefix));
  if (format === undefined) errors.push(invalidValue(field, name, unknownFormatText));
  else if (!format.pattern.test(name)) errors.push(invalidValue(field, name, MALFORMED));
}
