class Tabiya < Formula
  desc "Query the chess databases people already own, where they lie"
  homepage "@HOMEPAGE@"
  url "@REPOSITORY@/releases/download/v@VERSION@/tabiya-@VERSION@-source.tar.gz"
  sha256 "@SHA256:tabiya-@VERSION@-source.tar.gz@"
  license "GPL-3.0-or-later"

  depends_on "rust" => :build

  def install
    # It names a channel of rustup, which is not there.
    rm "rust-toolchain.toml"
    system "cargo", "install", *std_cargo_args
    system "cargo", "install", *std_cargo_args(path: "explorer")

    generate_completions_from_executable(bin/"tabiya", "completions")
    (man1/"tabiya.1").write Utils.safe_popen_read(bin/"tabiya", "man")
    (man1/"tabiya.1").read.scan(/^tabiya\\-([a-z]+)\(1\)$/).flatten.each do |command|
      (man1/"tabiya-#{command}.1").write Utils.safe_popen_read(bin/"tabiya", "man", command)
    end
    (man1/"tabiya-explorer.1").write Utils.safe_popen_read(bin/"tabiya-explorer", "--man")
    pkgshare.install "fixtures"
  end

  service do
    run [opt_bin/"tabiya-explorer", "--folder", var/"tabiya"]
    keep_alive true
  end

  def post_install
    (var/"tabiya").mkpath
  end

  test do
    cp_r pkgshare/"fixtures", testpath
    found = shell_output("#{bin}/tabiya search fixtures/famous.si4 'player:morphy at(mate)'")
    assert_match "Morphy", found
    assert_match version.to_s, shell_output("#{bin}/tabiya-explorer --version")
  end
end
