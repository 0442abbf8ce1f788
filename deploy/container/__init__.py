"""What deploy/image is made of: Debian's packages, the files of the image, its formats, and its bill of materials."""
