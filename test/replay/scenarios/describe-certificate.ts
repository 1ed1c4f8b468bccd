/** What a certificate says that differs in nothing from run to run. */
import { X509Certificate } from 'node:crypto';
import type { Body } from '../json-response';

/** Its whole life in seconds, and how long before now that began. */
export function describeCertificate(encoded: string): Body | undefined {
  const text = Buffer.from(encoded, 'base64').toString();
  if (!text.startsWith('-----BEGIN CERTIFICATE-----')) return undefined;
  const certificate = new X509Certificate(text);
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  return {
    blocks: text.split('-----BEGIN').length - 1,
    subject: certificate.subject ?? '',
    names: certificate.subjectAltName ?? '',
    isAuthority: certificate.ca,
    usages: certificate.keyUsage ?? [],
    ...extensionsIn(certificate.raw.toString('hex')),
    seconds: (to - from) / 1000,
    minutesBefore: Math.round((Date.now() - from) / 60_000),
    isSerialLong: certificate.serialNumber.length > 24,
  };
}

/** By number below 2.5.29; and the bits of the use of the key. */
function extensionsIn(der: string): Body {
  const extensions = [...der.matchAll(/0603551d(..)(0101ff)?04/g)].map(
    ([, id = '', critical]) => `${parseInt(id, 16)}${critical === undefined ? '' : '!'}`,
  );
  const [, keyUsage = null] = /0603551d0f(?:0101ff)?04..(03......)/.exec(der) ?? [];
  return { extensions: extensions.sort(), keyUsage };
}
