/** How this machine reaches the network, and where packages come from: no part of what is tried. */
export const ofThisMachine = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|(HTTPS?|NO)_PROXY)$/i.test(name)),
)
