/** Certificates that stand in a text or file, one after the other, as PEM. Judges none of them. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** Each as it stands there; what stands between them is overlooked. */
export function splitCertificatePems(text: string): readonly string[] {
  const pems: string[] = [];
  for (let begin = text.indexOf(BEGIN); begin !== -1; begin = text.indexOf(BEGIN, begin + BEGIN.length)) {
    const end = text.indexOf(END, begin);
    if (end !== -1) pems.push(text.slice(begin, end + END.length));
  }
  return pems;
}

/** Throws where one cannot be read. */
export function parseCertificates(text: string): readonly X509Certificate[] {
  return splitCertificatePems(text).map((pem) => new X509Certificate(pem));
}

/** The file as it is; throws where it holds no certificate, or one that cannot be read. */
export function readCertificateBundle(file: string): Buffer {
  const bundle = readFileSync(file);
  let count = 0;
  try {
    count = parseCertificates(bundle.toString('latin1')).length;
  } catch (error) {
    throw new Error(`${file} holds a certificate that cannot be read`, { cause: error });
  }
  if (count === 0) throw new Error(`${file} holds no certificate`);
  return bundle;
}
