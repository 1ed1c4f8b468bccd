/** A certificate signing request (PKCS #10) for the common name `typed`. Its ECDSA key was discarded. */
export const CERTIFICATE_REQUEST = `
-----BEGIN CERTIFICATE REQUEST-----
MIHKMHICAQAwEDEOMAwGA1UEAwwFdHlwZWQwWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAARslPpWXEufy5YS4fWcqPQlA+TT/3+oe//UgboHiTFe0gqVcMyDW2mgntHt
rC8H8QcU9znXmTvzcEIk15boKTguoAAwCgYIKoZIzj0EAwIDSAAwRQIgXfFKPFlO
a0zXRG0YEM1PP88xoRB2SUmrmYxcmnLYw2sCIQC2UB6IgjWtswxQ6sKZcZhtsDmi
ZXY5ydZlSS6GKiuceg==
-----END CERTIFICATE REQUEST-----
`;
