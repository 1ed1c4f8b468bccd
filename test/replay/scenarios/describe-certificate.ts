/** Describes the parts of a certificate that do not differ from run to run. */
import { X509Certificate } from 'node:crypto';
import type { Body } from '../json-response';

const PEM_BEGIN = '-----BEGIN';
/**
 * Serial numbers are 128 random bits: 32 hexadecimal digits, fewer with leading zeros. One of 24 digits or fewer is
 * practically never due to zeros, but to a shorter random number.
 */
const SHORT_SERIAL_DIGITS = 24;

/**
 * Describes a certificate in PEM in base64, or the first of several. `undefined` when the text is anything else. Throws
 * when the first PEM block is no valid certificate. `now` is in milliseconds since 1970.
 *
 * The names of the members are those in recordings: `usages` is the extended key usage, which Node calls `keyUsage`;
 * `keyUsage` has the bits of the key usage, which Node does not parse.
 */
export function describeCertificate(encoded: string, now: number): Body | undefined {
  const text = Buffer.from(encoded, 'base64').toString();
  if (!text.startsWith(`${PEM_BEGIN} CERTIFICATE-----`)) return undefined;
  const certificate = new X509Certificate(text);
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  return {
    // The number of PEM blocks: certificates of the chain.
    blocks: text.split(PEM_BEGIN).length - 1,
    subject: certificate.subject ?? '',
    names: certificate.subjectAltName ?? '',
    isAuthority: certificate.ca,
    usages: certificate.keyUsage ?? [],
    ...extensionsIn(certificate.raw.toString('hex')),
    // The lifetime.
    seconds: (to - from) / 1000,
    // How long before `now` the validity begins: signers backdate it for clients with slow clocks.
    minutesBefore: Math.round((now - from) / 60_000),
    isSerialLong: certificate.serialNumber.length > SHORT_SERIAL_DIGITS,
  };
}

/**
 * Extensions in hexadecimal DER, below the object identifier 2.5.29 (`551d`). The key usage, when it is critical:
 *   06 03 551d 0f   OBJECT IDENTIFIER of three bytes: 2.5.29.15
 *   01 01 ff        BOOLEAN TRUE: critical; absent otherwise
 *   04 04           OCTET STRING of four bytes, the value of the extension
 *   03 02 05 a0     BIT STRING of two bytes, here: five bits are unused, the others are 101
 */
const EXTENSION = /0603551d(..)(0101ff)?04/g;
const KEY_USAGE = /0603551d0f(?:0101ff)?04..(03......)/;

/** The last number of each extension's identifier, with `!` when it is critical; and the BIT STRING of the key usage. */
function extensionsIn(der: string): Body {
  const extensions = [...der.matchAll(EXTENSION)].map(([, id = '', critical]) => `${parseInt(id, 16)}${critical === undefined ? '' : '!'}`);
  const [, keyUsage = null] = KEY_USAGE.exec(der) ?? [];
  return { extensions: extensions.sort(), keyUsage };
}
