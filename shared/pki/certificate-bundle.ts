/** Reads PEM files with several certificates. Does not check validity or trust. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** The certificates of a text, each as PEM. Ignores text between them, and a last certificate without an END line. */
export function splitCertificatePems(text: string): readonly string[] {
  const pems: string[] = [];
  for (let begin = text.indexOf(BEGIN); begin !== -1; begin = text.indexOf(BEGIN, begin + BEGIN.length)) {
    const end = text.indexOf(END, begin);
    if (end !== -1) pems.push(text.slice(begin, end + END.length));
  }
  return pems;
}

/** Throws when a certificate is malformed. */
export function parseCertificates(text: string): readonly X509Certificate[] {
  return splitCertificatePems(text).map((pem) => new X509Certificate(pem));
}

/** Returns the content of a file. Throws when it contains no certificate or a malformed one. */
export function readCertificateBundle(file: string): Buffer {
  const bundle = readFileSync(file);
  let count = 0;
  try {
    count = parseCertificates(bundle.toString('latin1')).length;
  } catch (error) {
    throw new Error(`${file} contains an invalid certificate`, { cause: error });
  }
  if (count === 0) throw new Error(`${file} contains no certificate`);
  return bundle;
}
