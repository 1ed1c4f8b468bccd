/** Certificates that stand in a text, one after the other, as PEM. Judges none of them. */
import { X509Certificate } from 'node:crypto';

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** Throws where one cannot be read; what stands between them is overlooked. */
export function certificatesIn(text: string): readonly X509Certificate[] {
  const found: X509Certificate[] = [];
  for (let begin = text.indexOf(BEGIN); begin !== -1; begin = text.indexOf(BEGIN, begin + BEGIN.length)) {
    const end = text.indexOf(END, begin);
    if (end !== -1) found.push(new X509Certificate(text.slice(begin, end + END.length)));
  }
  return found;
}
