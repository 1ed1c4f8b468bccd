/**
 * The HTML of the page at `/docs` and its Content-Security-Policy. Scripts and styles are allowed by a nonce of the response, not by
 * their origin: the same origin also serves responses of pods and Services through the proxy paths.
 */

/**
 * The SHA-256 digests of style elements that Redoc creates without the nonce: an empty one, into which it then inserts
 * rules, and the one of its scroll bars.
 */
const STYLE_DIGESTS = ['47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', 'QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='];

/** The value of the header for a page with this nonce. */
export function createPolicy(nonce: string): string {
  const styles = STYLE_DIGESTS.map((digest) => `'sha256-${digest}'`).join(' ');
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}' ${styles}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const STYLE = `
body { margin: 0; font-family: sans-serif; color: #222; background: #fff; }
header { padding: 0.8rem 1.5rem; background: #263238; }
header a, header span { color: #fff; margin-right: 0.6rem; }
main.list { padding: 0.5rem 1.5rem 2rem; }
main.list ul { columns: 20rem; padding: 0; list-style: none; }
main.list li { margin: 0 0 0.6rem; break-inside: avoid; }
.error { padding: 1rem 1.5rem; color: #b00020; white-space: pre-wrap; }
`;

/** The HTML with this nonce, which must consist of letters and digits, because it is not escaped. */
export function createPage(nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API documentation</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<header id="trail"><a href="./">API documentation</a></header>
<main id="content">Loading …</main>
<noscript><p class="error">This page needs JavaScript. The documents are at /openapi/v3.</p></noscript>
<script nonce="${nonce}" src="page.js"></script>
</body>
</html>
`;
}
