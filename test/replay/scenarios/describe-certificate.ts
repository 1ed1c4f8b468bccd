/** Describes the parts of a certificate that do not differ from run to run. */
import { X509Certificate } from 'node:crypto';
import type { Body } from '../json-response';

/**
 * Returns `undefined` when the text is not a certificate in base64. `seconds` is the lifetime, and `minutesBefore` how long
 * before `now`, in milliseconds since 1970, it began.
 */
export function describeCertificate(encoded: string, now: number): Body | undefined {
  const text = Buffer.from(encoded, 'base64').toString();
  if (!text.startsWith('-----BEGIN CERTIFICATE-----')) return undefined;
  const certificate = new X509Certificate(text);
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  return {
    blocks: text.split('-----BEGIN').length - 1,
    subject: certificate.subject ?? '',
    names: certificate.subjectAltName ?? '',
    isAuthority: certificate.ca,
    usages: certificate.keyUsage ?? [],
    ...extensionsIn(certificate.raw.toString('hex')),
    seconds: (to - from) / 1000,
    minutesBefore: Math.round((now - from) / 60_000),
    isSerialLong: certificate.serialNumber.length > 24,
  };
}

/**
 * Extensions by their number below 2.5.29, with `!` when critical; and the bits of the key usage. In hexadecimal DER an
 * extension is its identifier (`0603551d` and the number), TRUE (`0101ff`) when it is critical, and an OCTET STRING (`04`).
 * That of the key usage contains a BIT STRING (`03`): its length, the number of unused bits, and one byte of bits.
 */
function extensionsIn(der: string): Body {
  const extensions = [...der.matchAll(/0603551d(..)(0101ff)?04/g)].map(
    ([, id = '', critical]) => `${parseInt(id, 16)}${critical === undefined ? '' : '!'}`,
  );
  const [, keyUsage = null] = /0603551d0f(?:0101ff)?04..(03......)/.exec(der) ?? [];
  return { extensions: extensions.sort(), keyUsage };
}
