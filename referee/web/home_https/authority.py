"""A certificate authority for one home, which can vouch for nothing outside of it.

Whoever trusts an authority trusts every site that it names. This one is constrained (RFC 5280, section 4.2.1.10) to
addresses of private networks and names that no public site can have, so that its key is worth little to a thief.
"""

from __future__ import annotations

import datetime
import ipaddress
import os
import socket
import ssl
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from referee.records.models import now
from referee.web.server.private_files import make_private, make_private_folder

NETWORKS = tuple(
    ipaddress.ip_network(network)
    for network in (
        "10.0.0.0/8",  # RFC 1918, with the next two
        "172.16.0.0/12",
        "192.168.0.0/16",
        "169.254.0.0/16",  # RFC 3927
        "127.0.0.0/8",
        "fc00::/7",  # RFC 4193
        "fe80::/10",  # RFC 4291
        "::1/128",
    )
)
"""Addresses that the authority may vouch for."""
NAMES = ("local", "localhost", "lan", "home.arpa", "internal")
"""Names that it may vouch for, and all names under them."""
TRUSTED_FOR = datetime.timedelta(days=3650)
SERVED_FOR = datetime.timedelta(days=397)
"""How long a server's certificate is valid; it is made anew at each start. Phones refuse more than 825 days."""
EARLIER = datetime.timedelta(days=1)
"""How long before now a certificate becomes valid: clocks at home differ."""


def is_home(address: str) -> bool:
    """Tell whether the authority may vouch for an IP address."""
    return any(ipaddress.ip_address(address) in network for network in NETWORKS)


class HomeAuthority:
    """The authority whose key and certificate stand in a folder; both are made there the first time."""

    def __init__(self, folder: Path) -> None:
        make_private_folder(folder)
        self._folder = folder
        key, certificate = folder / "authority.key", folder / "authority.pem"
        if not (key.exists() and certificate.exists()):
            _make_authority(key, certificate)
        self._key = _read_key(key)
        self._certificate = x509.load_pem_x509_certificate(certificate.read_bytes())

    @property
    def name(self) -> str:
        """Give the name that phones list it under."""
        (found,) = self._certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
        return str(found.value)

    @property
    def certificate(self) -> bytes:
        """Give its certificate in the form that phones install (DER)."""
        return self._certificate.public_bytes(serialization.Encoding.DER)

    def context_for(self, addresses: Sequence[str]) -> ssl.SSLContext:
        """Make what a server at these IP addresses, and under this computer's name, answers TLS with."""
        key = ec.generate_private_key(ec.SECP256R1())
        since = now() - EARLIER
        names: list[x509.GeneralName] = [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
        names += [x509.DNSName(name) for name in ("localhost", f"{_hostname()}.local")]
        certificate = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Referee")]))
            .issuer_name(self._certificate.subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(since)
            .not_valid_after(since + SERVED_FOR)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        file = self._folder / "server.pem"  # the ssl module reads keys from files only
        _write(file, _pem(key) + certificate.public_bytes(serialization.Encoding.PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["http/1.1"])
        context.load_cert_chain(file)
        return context


def _make_authority(key_file: Path, certificate_file: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    since = now() - EARLIER
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Referee at home ({_hostname()})"[:64])])
    home: list[x509.GeneralName] = [x509.IPAddress(network) for network in NETWORKS]
    home += [x509.DNSName(name) for name in NAMES]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(since)
        .not_valid_after(since + TRUSTED_FOR)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.NameConstraints(permitted_subtrees=home, excluded_subtrees=None), critical=True)
        .add_extension(_for_signing(), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    _write(key_file, _pem(key))
    _write(certificate_file, certificate.public_bytes(serialization.Encoding.PEM))


def _for_signing() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )


def _hostname() -> str:
    """Give this computer's name as it can stand in a certificate: its first label, in ASCII."""
    label = socket.gethostname().split(".")[0].encode("ascii", "ignore").decode()
    return "".join(sign for sign in label if sign.isalnum() or sign == "-").strip("-")[:40] or "computer"


def _read_key(file: Path) -> ec.EllipticCurvePrivateKey:
    key = serialization.load_pem_private_key(file.read_bytes(), password=None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise ValueError(f"{file} holds no key of an elliptic curve")
    return key


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _write(file: Path, content: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    new = file.with_name(f".{file.name}.new")
    new.unlink(missing_ok=True)
    make_private(new)
    new.write_bytes(content)
    os.replace(new, file)
